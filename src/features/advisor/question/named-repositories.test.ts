import { expect, it } from 'vitest';
import { namedRepositories } from './named-repositories.ts';

const repositories = ['acme/web', 'acme/web-api', 'tools/go'].map((name) => ({ name }));

it.each([
  ['How does acme/web-api sign in?', ['acme/web-api']],
  ['Where does web-api, or web, retry?', ['acme/web-api', 'acme/web']],
  ['Which WEB pages are there.', ['acme/web']],
  ['Where do we go from here?', []],
  ['the webs of others', []],
])('%s', (prompt, names) => {
  expect(namedRepositories(prompt, repositories).named.map(({ name }) => name)).toEqual(names);
});

const libraries = ['requests', 'mux', 'click', 'tj/commander.js'].map((name) => ({ name }));

it.each([
  ['Where is a token refreshed in requests?', ['requests'], true],
  ['How does requests follow a redirect?', ['requests'], true],
  ['Which class of psf/requests pools connections?', ['requests'], true],
  ["Where are mux's requests matched?", ['mux'], true],
  ['How does gorilla mux match requests?', ['mux'], true],
  ['How are incoming requests logged in mux?', ['mux'], true],
  ['What runs when users click a button', ['click'], false],
  ['Where is `click` started', ['click'], true],
  ['the mux middleware for slashes', ['mux'], true],
  ['Who opens a mux.Router', ['mux'], false],
  ['Who calls click.echo', [], false],
  ['requests.exceptions.TooManyRedirects: Exceeded 30 redirects.', ['requests'], false],
  ['What changed in mux/mux.go since 2023?', ['mux'], false],
  ['Where is a request sent?', [], false],
  ['Why does commander exit?', ['tj/commander.js'], true],
  ['Where are options parsed in commander.js?', ['tj/commander.js'], true],
])('%s names %j with certainty: %s', (prompt, names, isCertain) => {
  const found = namedRepositories(prompt, libraries);
  expect(new Set(found.named.map(({ name }) => name))).toEqual(new Set(names));
  expect(found.isCertain).toBe(isCertain);
});

const joined = ['requests', 'httpx', 'express', 'rack'].map((name) => ({ name }));

it.each([
  ['How do express and rack answer an unknown path?', ['express', 'rack']],
  ['Compare how requests and httpx follow a redirect.', ['requests', 'httpx']],
  ['hey, do requests, httpx and express all drop the body?', ['requests', 'httpx', 'express']],
  ['How is a body written by requests and by httpx?', ['requests', 'httpx']],
  ['difference between express vs rack for a missing file?', ['express', 'rack']],
])('names that are joined are certain, in their order: %s', (prompt, names) => {
  const found = namedRepositories(prompt, joined);
  expect(found.named.map(({ name }) => name)).toEqual(names);
  expect(found.isCertain).toBe(true);
});

it('takes words of prose that are not joined for no certain names', () => {
  expect(namedRepositories('Which requests express a wish?', joined).isCertain).toBe(false);
});

it('compares each word only with repositories of its name', () => {
  const many = Array.from({ length: 30_000 }, (_, at) => ({ name: `acme/service-${at}` }));
  const prompt = `How does service-7 call service-8? ${'a b c d e '.repeat(200)}`;
  const { user } = process.cpuUsage();
  const { named } = namedRepositories(prompt, many);
  // It takes some 4 s if each word is compared with each name.
  expect((process.cpuUsage().user - user) / 1000).toBeLessThan(1_000);
  expect(named.map(({ name }) => name)).toEqual(['acme/service-7', 'acme/service-8']);
});
