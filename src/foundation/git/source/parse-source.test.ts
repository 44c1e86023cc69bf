import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../kernel/errors.ts';
import { parseSource } from './parse-source.ts';

const rules = { allowLocal: false, allowHosts: [] };
const local = { allowLocal: true, allowHosts: [] };

describe('an accepted source', () => {
  it.each([
    ['https://github.com/owner/name', 'https', 'https://github.com/owner/name', 'owner/name'],
    ['  https://GitHub.com/owner/name.git/ ', 'https', 'https://github.com/owner/name.git', 'owner/name'],
    ['HTTPS://gitlab.com/group/sub/name.git', 'https', 'https://gitlab.com/group/sub/name.git', 'sub/name'],
    ['https://git.example.com:8443/name', 'https', 'https://git.example.com:8443/name', 'name'],
    ['https://example.com./a/b', 'https', 'https://example.com/a/b', 'a/b'],
    ['https://example.com/my%20team/b', 'https', 'https://example.com/my%20team/b', 'my-team/b'],
    ['git@github.com:owner/name.git', 'ssh', 'git@github.com:owner/name.git', 'owner/name'],
    ['github.com:owner/name', 'ssh', 'git@github.com:owner/name', 'owner/name'],
    ['ssh://github.com/owner/name', 'ssh', 'ssh://git@github.com/owner/name', 'owner/name'],
    [
      'ssh://deploy@git.example.com:2222/~team/name.git',
      'ssh',
      'ssh://deploy@git.example.com:2222/~team/name.git',
      'name',
    ],
  ])('%s', (text, kind, url, defaultName) => {
    const source = parseSource(text, rules);
    expect(source).toMatchObject({ kind, url, displayName: url, defaultName });
    expect(parseSource(source.displayName, rules)).toEqual(source);
  });

  it('may be a folder if folders are permitted, named after itself or after the parent of its .git', () => {
    expect(parseSource('/srv/git/My Project.git/', local)).toMatchObject({
      kind: 'folder',
      url: '/srv/git/My Project.git',
      defaultName: 'My-Project',
      remote: undefined,
    });
    expect(parseSource('file:///srv/git/project/.git', local)).toMatchObject({ defaultName: 'project' });
  });

  it('names the host of the connection', () => {
    expect(parseSource('https://example.com/a', rules).remote).toEqual({ host: 'example.com', port: 443 });
    expect(parseSource('git@Example.COM:a', rules).remote).toEqual({ host: 'example.com', port: 22 });
    expect(parseSource('ssh://example.com:2222/a', rules).remote).toEqual({
      host: 'example.com',
      port: 2222,
    });
  });

  it('may be http and private if OUTBOUND_ALLOW_HOSTS names the host', () => {
    const allowing = { allowLocal: false, allowHosts: ['127.0.0.1:8080', 'git.corp.internal'] };
    expect(parseSource('http://127.0.0.1:8080/a', allowing).url).toBe('http://127.0.0.1:8080/a');
    expect(parseSource('git@git.corp.internal:a', allowing).kind).toBe('ssh');
    expect(() => parseSource('http://127.0.0.1:8081/a', allowing)).toThrow(InvalidInput);
  });
});

const refused = [
  '',
  '-u./payload',
  '--upload-pack=touch /tmp/x',
  'ext::sh -c touch% /tmp/x',
  'EXT::sh',
  'fd::17',
  'https::https://example.com/a',
  'http://example.com/a',
  'git://example.com/a',
  'ftp://example.com/a',
  'javascript://example.com/a',
  'https://example.com',
  'https://example.com/a?token=1',
  'https://example.com/a#b',
  'https://example.com/a%0ab',
  'https://example.com/a\nb',
  'https://example.com/a\u2028b',
  `https://example.com/${'a'.repeat(2_048)}`,
  'https://127.0.0.1/a',
  'https://0x7f.1/a',
  'https://[::ffff:127.0.0.1]/a',
  'https://localhost/a',
  'github.com/owner/name',
  'project',
  './project',
  '../project',
  '/srv/git/project',
  'file:///srv/git/project',
  'file:/srv/git/project',
  'ssh://-oProxyCommand=touch/a',
  'ssh://-oProxyCommand=touch@example.com/a',
  'ssh://-A@example.com/a',
  '-A@example.com:a',
  'ssh://example.com:99999/a',
  'ssh://example.com/../../etc',
  'ssh://example.com/-u',
  'ssh://example.com/a`id`',
  'ssh://user:secret@example.com/a',
  'ssh://127.0.0.1/a',
  'ssh://2130706433/a',
  'ssh://[::1]/a',
  '-oProxyCommand=touch@example.com:a',
  'git@-oProxyCommand=touch:a',
  'git@example.com:../a',
  'git@example.com:a/../../b',
  'git@example.com:-u',
  'git@example.com:$(id)',
  "git@example.com:a'b",
  'git@0x7f.1:a',
  'git@127.0.0.1:a',
  'git@[::1]:a',
  'git@localhost:a',
  'git@example.com:',
  'a@b@example.com:c',
];

describe('a refused source', () => {
  it.each(refused)('%j', (text) => {
    expect(() => parseSource(text, rules)).toThrow(InvalidInput);
  });

  it.each(['-u./payload', '--upload-pack=touch /tmp/x', '-oProxyCommand=touch@example.com:a'])(
    '%s as an option',
    (text) => {
      expect(() => parseSource(text, local)).toThrow(/option/);
    },
  );

  it.each(['file://example.com/share', 'file:///a%2Fb'])('%s even if folders are permitted', (text) => {
    expect(() => parseSource(text, local)).toThrow(InvalidInput);
  });

  it.each([
    'https://user:hunter2@example.com/a',
    'https://hunter2@example.com/a',
    'ssh://user:hunter2@example.com/a',
    'http://user:hunter2@127.0.0.1/a',
    'hunter2@bad host:a',
    'ext::hunter2',
  ])('%s without its secret being repeated', (text) => {
    expect(() => parseSource(text, rules)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }),
    );
  });
});
