import { expect, it } from 'vitest';
import { namedRepositories } from './named-repositories.ts';

const repositories = ['acme/web', 'acme/web-api', 'tools/go'].map((name) => ({ name }));

it.each([
  ['How does acme/web-api sign in?', ['acme/web-api']],
  ['Where does web-api, or web, retry?', ['acme/web', 'acme/web-api']],
  ['Which WEB pages are there.', ['acme/web']],
  ['Where do we go from here?', []],
  ['the webs of others', []],
])('%s', (prompt, names) => {
  expect(namedRepositories(prompt, repositories).map(({ name }) => name)).toEqual(names);
});
