import { expect, it } from 'vitest';
import { stemsOf } from '../../text/split-words.ts';
import { purposeOf } from './answer-found.ts';
import { areaOf } from './area.ts';
import { authorsOf } from './authors.ts';
import type { PastChange } from './past.ts';
import { isMechanical } from './purpose.ts';
import { chooseChange } from './search-past.ts';
import { saysWhy } from './stated-reason.ts';

function change(time: number, name: string, body = ''): PastChange {
  const words = new Set(stemsOf(`${name}\n${body}`));
  const node = { key: `commit:${time}`, kind: 'commit', name, props: { time } } as const;
  return {
    node,
    author: 'Ann',
    email: 'ann@example.com',
    body,
    words,
    text: `${name}\n${body}`.toLowerCase(),
  };
}

it.each([
  ['When did it add SOCKS support?', 'first'],
  ['Which PR fixed the leak of sockets?', 'fix'],
  ['Why was the retry removed?', 'change'],
  ['Who changed send last?', undefined],
  ['Why does it retry?', undefined],
] as const)('reads which commit %s asks for', (prompt, purpose) => {
  expect(purposeOf(prompt)).toBe(purpose);
});

it('chooses the first commit that adds what is asked for, not one whose body mentions it or a release', () => {
  const changes = [
    change(1, 'Detect credentials in proxy addresses', 'Also for socks.'),
    change(2, 'SOCKS proxy support'),
    change(3, 'Version 2', 'SOCKS support.'),
    change(4, 'Add socks5h support'),
  ];
  const wanted = { words: ['SOCKS'], purpose: 'first', asked: 'When was SOCKS added?' } as const;
  expect(chooseChange(wanted, changes)?.change).toBe(changes[1]);
});

it('prefers the commit with the rare words, and names those that it lacks', () => {
  const changes = [
    change(1, 'Prevent open redirect of the allow list'),
    change(2, 'Fix redirect of a path'),
    change(3, 'Fix redirect without a path'),
  ];
  const wanted = { purpose: 'fix', asked: '' } as const;
  const found = chooseChange({ ...wanted, words: ['open', 'redirect', 'paths'] }, changes);
  expect(found).toMatchObject({ change: changes[0], lacking: ['paths'] });
  expect(chooseChange({ ...wanted, words: ['token', 'refresh'] }, changes)).toBeUndefined();
});

it('ranks commits that only format or move code last, unless the question is about that', () => {
  expect(isMechanical('Run black on everything', 'Who changed send last?')).toBe(true);
  expect(isMechanical('Rename file of the client', 'Why does it retry?')).toBe(true);
  expect(isMechanical('Add type hints', 'When were type hints added?')).toBe(false);
  expect(isMechanical('Add retries', 'Who changed send last?')).toBe(false);
});

it.each([
  ['The header is left out, because proxies drop it.', true],
  ['We must not follow it here: the body is gone.', true],
  ['**follow** - *(optional)* Enables redirects in order to reach the page.', false],
  ['@param follow to follow redirects instead of returning them', false],
  ['Returns the redirect.', false],
])('tells a reason from a description: %s', (text, isReason) => {
  expect(saysWhy(text)).toBe(isReason);
});

it('counts two names with one address, or two addresses with one name, as one person', () => {
  const of = (time: number, author: string, email: string) => ({ ...change(time, 'Change'), author, email });
  const people = authorsOf([
    of(5, 'Kim', 'kim@corp.test'),
    of(4, 'Tom', 'kim@corp.test'),
    of(3, 'Tom', 'tom@home.test'),
    of(2, 'Bob', 'noreply@host.test'),
    of(1, 'Eve', 'noreply@host.test'),
  ]);
  expect(people.map(({ name, changes }) => [name, changes.length])).toEqual([
    ['Kim', 3],
    ['Bob', 1],
    ['Eve', 1],
  ]);
});

it('finds the folder or file whose name is a word of the question', () => {
  const file = (path: string) => ({ path, repository: 'r', fileClass: 'source' });
  const files = [
    'context.go',
    'drops/site.go',
    'binding/form.go',
    'binding/json.go',
    'render/a.go',
    'routing.go',
  ].map(file);
  const area = (...terms: string[]) =>
    areaOf({ asked: '', ranked: { files, subject: { terms }, repositories: [], named: [] } } as never)?.path;
  expect(area('data', 'binding')).toBe('binding');
  expect(area('handling', 'drops')).toBe('drops');
  expect(area('rendering')).toBe('render');
  expect(area('routing')).toBe('routing.go');
  expect(area('sessions')).toBeUndefined();
});

it('finds names with versions, and words that a message writes as several', () => {
  const changes = [
    change(1, 'Docs: the LiveReload option'),
    change(2, 'Add LiveReload'),
    change(3, 'A bit of HTTP/2.0'),
  ];
  const of = (...words: string[]) => chooseChange({ words, purpose: 'first', asked: '' }, changes)?.change;
  expect(of('livereload')).toBe(changes[1]);
  expect(of('HTTP/2')).toBe(changes[2]);
  expect(of('Rel')).toBeUndefined();
});
