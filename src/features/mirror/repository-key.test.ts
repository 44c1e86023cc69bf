import { describe, expect, it } from 'vitest';
import { parseSource } from '../../foundation/git/source/parse-source.ts';
import { hostedIdKey, hostedKey } from './repository-key.ts';

function keyOf(text: string): string {
  const { url, remote } = parseSource(text, { allowLocal: false, allowHosts: ['git.example.com:8080'] });
  if (remote === undefined) throw new Error(`${text} has no host`);
  return hostedKey(url, remote);
}

describe('a repository that is known by its address', () => {
  it.each([
    'https://git.example.com/acme/context',
    'https://git.example.com/acme/context.git',
    'https://git.example.com:443/Acme//Context.git/',
    'https://git.example.com./acme/./context',
    'https://GIT.example.com/acme/%2e/cont%65xt',
    'https://git.example.com/acme%2fcontext',
    'https://git.example.com/other/../acme/context',
    'git@git.example.com:acme/context.git',
    'git@git.example.com:/acme/./context/.git',
    'ssh://git@git.example.com:22/acme/context',
    'ssh://git@git.example.com/%2e/acme/%2E/context',
  ])('has the same key for %s', (text) => {
    expect(keyOf(text)).toBe('git.example.com/acme/context');
  });

  it.each([
    'https://git.example.com/acme/other',
    'https://git.example.com/acme/context/more',
    'https://example.com/acme/context',
    'http://git.example.com:8080/acme/context',
    'ssh://git@git.example.com:2222/acme/context',
  ])('has another key for %s', (text) => {
    expect(keyOf(text)).not.toBe('git.example.com/acme/context');
  });

  it.each([
    ['github.com', 'https://www.github.com/acme/context'],
    ['github.com', 'ssh://git@ssh.github.com:443/acme/context.git'],
    ['gitlab.com', 'ssh://git@altssh.gitlab.com:443/acme/context'],
    ['bitbucket.org', 'ssh://git@altssh.bitbucket.org:443/acme/context'],
  ])('on %s has the same key for %s', (host, text) => {
    expect(keyOf(text)).toBe(`${host}/acme/context`);
    expect(keyOf(text)).toBe(keyOf(`https://${host}/acme/context`));
  });

  it.each([
    'ssh://git@git.example.com/acme/%2e%2e/other/context',
    'git@git.example.com:acme/%2E./context',
    'https://git.example.com/acme/..%2fother/context',
  ])('is refused for a path with parent segments: %s', (text) => {
    expect(() => keyOf(text)).toThrow(
      expect.objectContaining({ status: 400, errors: [{ path: '/source', message: expect.any(String) }] }),
    );
  });
});

describe('a repository that its Git host knows by an id', () => {
  it.each([
    'https://git.example.com/gitea/api/v1',
    'https://git.example.com:443/gitea/api/v1/',
    'http://git.example.com/gitea/api/v1',
    'https://GIT.example.com./gitea//api/v1',
    'https://git.example.com/Gitea/./api/%76%31',
    'https://git.example.com/other/../gitea/api/v1',
  ])('has the same key for the API %s', (apiUrl) => {
    expect(hostedIdKey(apiUrl, '7')).toBe('git.example.com/gitea/api/v1/7');
  });

  it.each([
    'https://git.example.com/api/v1',
    'https://git.example.com/forgejo/api/v1',
    'https://git.example.com/gitea/api/v3',
    'https://git.example.com/gitea/acme/context/raw/api/v1',
    'https://git.example.com:8080/gitea/api/v1',
    'https://example.com/gitea/api/v1',
  ])('has another key for the API %s', (apiUrl) => {
    expect(hostedIdKey(apiUrl, '7')).not.toBe('git.example.com/gitea/api/v1/7');
  });
});
