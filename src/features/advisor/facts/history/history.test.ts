import { expect, it } from 'vitest';
import { relatedWords } from '../../question/related-words.ts';
import { stemsOf } from '../../text/split-words.ts';
import { areaOf } from './area.ts';
import { versionIn } from './asked-time.ts';
import { authorsOf } from './authors.ts';
import { entrySaying, entryWith } from './changelog.ts';
import { explanationOf, referencesOf } from './explanation.ts';
import type { PastChange } from './past.ts';
import { isMechanical } from './purpose.ts';
import { isRelease } from './release-people.ts';
import { paragraphsIn, saysWhy } from './stated-reason.ts';
import { type Candidate, weighChanges } from './weigh-changes.ts';

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
    paths: [],
  };
}

function candidate(of: PastChange, { place = 0, lines = 0 } = {}): Candidate {
  return { change: of, place, lines };
}

function wordsOf(...terms: string[]) {
  return terms.map((term) => ({
    term,
    stems: stemsOf(term),
    related: new Set(relatedWords([term]).flatMap(stemsOf)),
    isName: false as boolean,
    share: 1,
  }));
}

it('weighs first the commit that adds what is asked for, not one whose body mentions it or a release', () => {
  const changes = [
    change(1, 'Detect credentials in proxy addresses', 'Also for socks.'),
    change(2, 'SOCKS proxy support'),
    change(3, 'Version 2', 'SOCKS support.'),
    change(4, 'Add socks5h support'),
  ];
  const wanted = { words: wordsOf('SOCKS'), purpose: 'first', asked: 'When was SOCKS added?' } as const;
  const weighed = weighChanges(
    wanted,
    changes.map((one) => candidate(one)),
  );
  expect(weighed[0]?.change).toBe(changes[1]);
});

it('prefers the commit with the rare words, and names those that it lacks', () => {
  const changes = [
    change(1, 'Prevent open redirect of the allow list'),
    change(2, 'Fix redirect of a path'),
    change(3, 'Fix redirect without a path'),
  ];
  const wanted = { purpose: 'fix', asked: '', words: wordsOf('open', 'redirect', 'paths') } as const;
  const [best] = weighChanges(
    wanted,
    changes.map((one) => candidate(one)),
  );
  expect(best).toMatchObject({ change: changes[0], lacking: ['paths'] });
});

it('prefers the commit of the files and lines that the question is about, also with other words', () => {
  const changes = [change(1, 'Count failed calls'), change(2, 'Terminate the pool with an error')];
  const wanted = { purpose: 'any', asked: '', words: wordsOf('killed', 'calls') } as const;
  const [best] = weighChanges(wanted, [
    candidate(changes[0] as PastChange),
    candidate(changes[1] as PastChange, { place: 1, lines: 1 }),
  ]);
  expect(best?.change).toBe(changes[1]);
});

it('prefers a commit that stops something to one that adds it, if the question says that it is gone', () => {
  const changes = [change(1, 'Add copies of annotations'), change(2, "Don't make copies of annotations")];
  const words = wordsOf('copies', 'annotations');
  const asked = 'Which change dropped the copies of annotations?';
  const weighed = weighChanges(
    { words, asked, purpose: 'change' },
    changes.map((one) => candidate(one)),
  );
  expect(weighed[0]?.change).toBe(changes[1]);
});

it('quotes the sentences of a message that give a reason or say the question, not what repeats its subject', () => {
  const body = [
    'Keep the order of queues.',
    '',
    'Some unrelated words come here first.',
    'A set lost the order, so that cycles were unfair. Tests were added as well.',
    '',
    'Signed-off-by: Ann <ann@example.com>',
  ].join('\n');
  const wanted = new Set(stemsOf('order of the set'));
  expect(explanationOf('Keep the order of queues', body, wanted)).toEqual([
    'Some unrelated words come here first.',
    'A set lost the order, so that cycles were unfair.',
  ]);
  expect(referencesOf('Fixes #12, see GHSA-2g68-c3qc-8985 and #12.')).toEqual(['#12', 'GHSA-2g68-c3qc-8985']);
});

it('finds the entry of a changelog by a number or by its words, with its version and day', async () => {
  const lines = [
    '## 2.0.0',
    '',
    'Released 2020-01-01',
    '',
    '- Another entry (#1234)',
    '- An entry of two',
    '  lines (#123)',
    '',
    '## 1.0.0',
  ];
  expect(entryWith(lines, ['123'])).toEqual({
    text: 'An entry of two lines (#123)',
    line: 6,
    endLine: 7,
    version: '2.0.0',
    released: '2020-01-01',
  });
  expect(entryWith(lines, ['12'])).toBeUndefined();
  const more = [...lines, '', '- Requests without a boundary raise an error'];
  const said = await entrySaying(more, 'Raise for requests without boundaries');
  expect(said).toMatchObject({ line: 11, version: '1.0.0', released: undefined });
  expect(await entrySaying(more, 'Raise for responses without headers')).toBeUndefined();
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

it('reads the paragraphs of a document with their lines, without headings and samples', () => {
  const text = '# Pools\n\nA pool is shared,\nbecause sockets are few.\n\n```js\nopen()\n```\n\nThe rest.';
  const found = paragraphsIn({ path: 'docs/pools.md' } as never, 10, text);
  expect(found.map(({ line, text: paragraph }) => [line, paragraph])).toEqual([
    [12, 'A pool is shared, because sockets are few.'],
    [19, 'The rest.'],
  ]);
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

it.each([
  ['Since koa 3 a body gives a 500', '3'],
  ['It changed in version 2.1.', '2.1'],
  ['Was that since 12.0.0?', '12.0.0'],
  ['Before v5 it was set', '5'],
  ['It gives a 404 in 3 of 4 cases', undefined],
  ['Why is it limited to 100?', undefined],
])('reads the version in %s', (text, expected) => {
  expect(versionIn(text, ['koa', 'a-b.c(d)'])).toBe(expected);
});

it('takes a name as in code for itself rather than for a part of another name', () => {
  const changes = [change(1, 'Add showHelpAfterError'), change(9, 'Add error() for clients')];
  const words = [{ ...wordsOf('error')[0], isName: true }] as ReturnType<typeof wordsOf>;
  const weighed = weighChanges(
    { words, purpose: 'first', asked: '' },
    changes.map((one) => candidate(one)),
  );
  expect(weighed[0]?.change).toBe(changes[1]);
});

it('prefers commits of the time that the question says', () => {
  const changes = [change(1, 'Drop the cache of files'), change(9, 'Drop the cache of files')];
  const [best] = weighChanges(
    {
      words: wordsOf('cache', 'files'),
      purpose: 'any',
      asked: '',
      timeFactor: (time) => (time < 5 ? 1.15 : 0.87),
    },
    changes.map((one) => candidate(one)),
  );
  expect(best?.change).toBe(changes[0]);
});

it.each([
  ['4.13.3', true],
  ['v5.0.12', true],
  ['[maven-release-plugin] prepare release pen-1.13.0', true],
  ['release version 3.1.3', true],
  ['Bump version: 2.17.0 → 2.18.0', true],
  ['Bump patch version.', true],
  ['build(deps): bump checkout from 4.1 to 5', false],
  ['Drop support of version 2.7', false],
  ['Add retries', false],
])('tells whether %s makes a release', (subject, expected) => {
  expect(isRelease(subject)).toBe(expected);
});

it('finds names with versions, and words that a message writes as several', () => {
  const changes = [
    change(1, 'Docs: the LiveReload option'),
    change(2, 'Add LiveReload'),
    change(3, 'A bit of HTTP/2.0'),
    change(4, 'Release quickly'),
  ].map((one) => candidate(one));
  const of = (term: string) =>
    weighChanges({ words: wordsOf(term), purpose: 'first', asked: '' }, changes)[0];
  expect(of('livereload')?.change).toBe(changes[1]?.change);
  expect(of('HTTP/2')?.change).toBe(changes[2]?.change);
  expect(of('Rel')?.share).toBe(0);
});
