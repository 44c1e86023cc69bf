import { expect, it } from 'vitest';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { relatedWords } from '../../question/words/related-words.ts';
import { stemsOf } from '../../text/split-words.ts';
import { changeOf, type MessageChange } from './past.ts';
import { type RecalledChange, weighChanges } from './weigh-changes.ts';

function change(time: number, subject: string, body = ''): MessageChange {
  const author = { name: 'Ann', email: 'ann@example.com' };
  return changeOf({ id: `${time}`, time, author, message: `${subject}\n${body}` }, 'r' as RepositoryId);
}

function candidate(of: MessageChange, { place = 0, lines = 0 } = {}): RecalledChange {
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

it('weighs first the commit that adds what is asked for, not one whose body mentions it or a release', async () => {
  const changes = [
    change(1, 'Detect credentials in proxy addresses', 'Also for socks.'),
    change(2, 'SOCKS proxy support'),
    change(3, 'Version 2', 'SOCKS support.'),
    change(4, 'Add socks5h support'),
  ];
  const wanted = { words: wordsOf('SOCKS'), purpose: 'first', asked: 'When was SOCKS added?' } as const;
  const weighed = await weighChanges(
    wanted,
    changes.map((one) => candidate(one)),
  );
  expect(weighed[0]?.change).toBe(changes[1]);
});

it('prefers the commit with the rare words, and names those that it lacks', async () => {
  const changes = [
    change(1, 'Prevent open redirect of the allow list'),
    change(2, 'Fix redirect of a path'),
    change(3, 'Fix redirect without a path'),
  ];
  const wanted = { purpose: 'fix', asked: '', words: wordsOf('open', 'redirect', 'paths') } as const;
  const [best] = await weighChanges(
    wanted,
    changes.map((one) => candidate(one)),
  );
  expect(best).toMatchObject({ change: changes[0], lacking: ['paths'] });
});

it('prefers the commit of the files and lines that the question is about, also with other words', async () => {
  const changes = [change(1, 'Count failed calls'), change(2, 'Terminate the pool with an error')];
  const wanted = { purpose: 'any', asked: '', words: wordsOf('killed', 'calls') } as const;
  const [best] = await weighChanges(wanted, [
    candidate(changes[0] as MessageChange),
    candidate(changes[1] as MessageChange, { place: 1, lines: 1 }),
  ]);
  expect(best?.change).toBe(changes[1]);
});

it('prefers a commit that stops something to one that adds it, if the question says that it is gone', async () => {
  const changes = [change(1, 'Add copies of annotations'), change(2, "Don't make copies of annotations")];
  const words = wordsOf('copies', 'annotations');
  const asked = 'Which change dropped the copies of annotations?';
  const weighed = await weighChanges(
    { words, asked, purpose: 'change' },
    changes.map((one) => candidate(one)),
  );
  expect(weighed[0]?.change).toBe(changes[1]);
});

it('takes a name as in code for itself rather than for a part of another name', async () => {
  const changes = [change(1, 'Add showHelpAfterError'), change(9, 'Add error() for clients')];
  const words = [{ ...wordsOf('error')[0], isName: true }] as ReturnType<typeof wordsOf>;
  const weighed = await weighChanges(
    { words, purpose: 'first', asked: '' },
    changes.map((one) => candidate(one)),
  );
  expect(weighed[0]?.change).toBe(changes[1]);
});

it('prefers commits of the time that the question says', async () => {
  const changes = [change(1, 'Drop the cache of files'), change(9, 'Drop the cache of files')];
  const [best] = await weighChanges(
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

it('finds names with versions, and words that a message writes as several', async () => {
  const changes = [
    change(1, 'Docs: the LiveReload option'),
    change(2, 'Add LiveReload'),
    change(3, 'A bit of HTTP/2.0'),
    change(4, 'Release quickly'),
  ].map((one) => candidate(one));
  const of = async (term: string) =>
    (await weighChanges({ words: wordsOf(term), purpose: 'first', asked: '' }, changes))[0];
  expect((await of('livereload'))?.change).toBe(changes[1]?.change);
  expect((await of('HTTP/2'))?.change).toBe(changes[2]?.change);
  expect((await of('Rel'))?.share).toBe(0);
});
