import { expect, it } from 'vitest';
import { parseSource } from '../../foundation/git/parse-source.ts';
import { repositoryKey } from './repository-key.ts';

const keyOf = (text: string): string =>
  repositoryKey(parseSource(text, { allowLocal: true, allowHosts: ['git.example.com:8080'] }));

it.each([
  'https://git.example.com/acme/context',
  'https://git.example.com/acme/context.git',
  'https://git.example.com:443/Acme//Context.git/',
  'https://GIT.example.com/acme/cont%65xt',
  'git@git.example.com:acme/context.git',
  'ssh://git@git.example.com:22/acme/context',
])('%s is one repository with the others', (text) => {
  expect(keyOf(text)).toBe('git.example.com/acme/context');
});

it.each([
  'https://git.example.com/acme/other',
  'https://example.com/acme/context',
  'http://git.example.com:8080/acme/context',
  'ssh://git@git.example.com:2222/acme/context',
])('%s is another one', (text) => {
  expect(keyOf(text)).not.toBe('git.example.com/acme/context');
});

it('tells folders by their path to the letter', () => {
  expect(keyOf('/srv/git/Context.git')).toBe('/srv/git/Context.git');
});
