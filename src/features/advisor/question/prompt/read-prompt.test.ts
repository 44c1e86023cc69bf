import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../../../test/support/run/processor-time.ts';
import { readMentions, readPrompt } from './read-prompt.ts';

/** Returns the processor time of the fastest of several runs, for a text of a length that repeats a unit. */
function fastestMs(unit: string, length: number): number {
  const text = unit.repeat(Math.ceil(length / unit.length));
  const runs = Array.from({ length: 7 }, () => {
    const processorMs = measureProcessor();
    readPrompt(text);
    return processorMs();
  });
  return Math.min(...runs);
}

describe('readPrompt', () => {
  it('keeps the words that carry the subject', () => {
    expect(readPrompt('How does the retry back-off of a lease work?').terms).toEqual([
      'retry',
      'back',
      'off',
      'lease',
      'work',
    ]);
  });

  it('reads the words of an address that is no web page', () => {
    const { terms, paths } = readPrompt('why is redis://cache or fix:a/b refused?');
    expect(terms).toEqual(expect.arrayContaining(['redis', 'cache', 'fix']));
    expect(paths).toEqual([]);
  });

  it('reads a scheme without an address as a word', () => {
    expect(readPrompt('trouble with an https:// proxy').terms).toEqual(['trouble', 'https', 'proxy']);
  });

  it.each([
    ['why does parseQuery fail', ['parseQuery']],
    ['the OrgScope type', ['OrgScope']],
    ['what sets max_attempts or MAX_BYTES?', ['max_attempts', 'MAX_BYTES']],
    ['who calls open()?', ['open']],
    ['Which code reads SSLKEYLOGFILE?', ['SSLKEYLOGFILE']],
    ['IMPORTANT: the RFC says NOTHING', []],
    ['see `serve` and `mcp-config`', ['serve', 'mcp-config']],
    ['is errors.NotFound thrown', ['errors.NotFound', 'NotFound']],
    ['std::vector and a->nextItem', ['std::vector', 'vector', 'nextItem']],
    ['uses of Monolog\\Logger', ['Monolog\\Logger', 'Logger']],
    ['When was Context.JSON added?', ['Context.JSON', 'JSON']],
    ['uses of `\\Monolog\\Logger`', ['Monolog\\Logger', 'Logger']],
    ['e.g. the word Alone is prose', []],
  ])('finds the names of code in %s', (prompt, identifiers) => {
    expect(readPrompt(prompt).identifiers).toEqual(identifiers);
  });

  it.each([
    ['open src/app/main.ts, please', ['src/app/main.ts']],
    ['in `./lib/util.py`.', ['lib/util.py']],
    ['README.md and Dockerfile.dev', ['README.md', 'Dockerfile.dev']],
    [String.raw`C:\work\src\a.cs is wrong`, ['work/src/a.cs']],
    ['https://github.com/o/r/blob/main/src/x.go#L12', ['src/x.go']],
    ['read and/or write, yes/no', []],
    ['Does it speak HTTP/2 or HTTP/1.1?', []],
    ['either/or', ['either/or']],
    ['why is //foo/bar redirected', []],
    ['https://example.org/page', []],
  ])('finds the paths in %s', (prompt, paths) => {
    expect(readPrompt(prompt).paths).toEqual(paths);
  });

  it('reads quoted text of several words as a phrase and does not read an apostrophe as a quote', () => {
    const { phrases, terms } = readPrompt(
      "Who prints \"lease was lost\", 'give up' and isn't it the user's?",
    );
    expect(phrases).toEqual(['lease was lost', 'give up']);
    expect(terms).toContain('lost');
  });

  it.each([
    ['fix(router): match trailing slashes', 'router'],
    ['tsdb: shorten the lock', 'tsdb'],
    ['feat!: drop the old format', undefined],
    ['fix: retry', undefined],
    ['Why: because', 'Why'],
    ['How does the queue: retry?', undefined],
    ['C:\\\\work is wrong', undefined],
  ])('reads the area that %s begins with', (prompt, area) => {
    expect(readPrompt(prompt).area).toBe(area);
  });

  it('reads stack frames of several languages', () => {
    const { paths, identifiers, places } = readPrompt(
      [
        'TypeError: x is undefined',
        '    at claimJob (/srv/app/src/jobs/claim.ts:10:5)',
        '    at com.acme.Worker.run(Worker.java:12)',
        '  File "app/models.py", line 3, in load_all',
        '    at node_modules/left-pad/index.js:1:1',
      ].join('\n'),
    );
    expect(paths).toEqual(['srv/app/src/jobs/claim.ts', 'Worker.java', 'app/models.py']);
    expect(places).toEqual([
      { path: 'srv/app/src/jobs/claim.ts', line: 10 },
      { path: 'Worker.java', line: 12 },
      { path: 'app/models.py', line: 3 },
    ]);
    expect(identifiers).toEqual(
      expect.arrayContaining(['TypeError', 'claimJob', 'com.acme.Worker.run', 'load_all']),
    );
  });

  it.each([
    'Who changed lines 8-30 of src/a.ts and why?',
    'Who changed lines 8 to 30 in `src/a.ts`?',
    'Who changed src/a.ts:8-30?',
    'Who changed `src/a.ts` lines 8-30?',
    'Who changed src/a.ts (lines 8-30)?',
    'Who changed src/a.ts, lines 8 and 30?',
    'Who changed src/a.ts#L8-L30?',
    'See https://github.com/acme/web/blob/main/src/a.ts#L8-L30',
  ])('reads several lines of a file: %s', (prompt) => {
    const { paths, places } = readPrompt(prompt);
    expect(places).toEqual([{ path: 'src/a.ts', line: 8, last: 30 }]);
    expect(paths).toEqual(['src/a.ts']);
  });

  it.each(['Why does line 8 of src/a.ts fail?', 'What is at src/a.ts line 8?', 'What is at src/a.ts#L8?'])(
    'reads one line of a file: %s',
    (prompt) => {
      expect(readPrompt(prompt).places).toEqual([{ path: 'src/a.ts', line: 8 }]);
    },
  );

  it('returns empty lists for a prompt without a subject', () => {
    expect(readPrompt('how does it do that?')).toEqual({
      terms: [],
      identifiers: [],
      paths: [],
      phrases: [],
      places: [],
    });
  });

  it('limits every list for a long pasted text', () => {
    const subject = readPrompt(
      Array.from({ length: 5000 }, (_, i) => `name_${i} dir/f${i}.ts:${i} "a b${i}"`).join('\n'),
    );
    expect(subject.terms.length).toBeLessThanOrEqual(64);
    expect(subject.identifiers.length).toBeLessThanOrEqual(16);
    expect(subject.paths.length).toBeLessThanOrEqual(16);
    expect(subject.phrases.length).toBeLessThanOrEqual(6);
  });

  it.each([
    ['backticks', '`'],
    ['quotes and letters', '"a'],
    ['quotes after spaces', ' "'],
    ['unterminated quotes', ' "a'],
    ['dots', '.'],
    ['slashes', 'a/'],
    ['colons and digits', ':1'],
    ['parentheses', '(a'],
    ['spaces', ' '],
    ['link beginnings', 'http://blob/a/b'],
    ['underscores', '_a'],
    ['files with questions', 'a.a?'],
  ])('reads many %s in linear time', (_, unit) => {
    const [short = 0, long = 0] = [2 ** 15, 2 ** 17].map((length) => fastestMs(unit, length));
    // In quadratic time, it would take sixteen times as long.
    expect(long / short).toBeLessThan(8);
  });

  it.each(['::', 'a:', ':/'])('reads places among many %s about as fast as one word', (unit) => {
    // If each of them may begin a path, it takes hundreds of times as long.
    expect(fastestMs(unit, 32_000) / fastestMs('ab', 32_000)).toBeLessThan(20);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (prompt) => {
        expect(readPrompt(prompt).terms.every((term) => term.length >= 2)).toBe(true);
      }),
    );
  });

  it('reads quoted code that is no name as a text', () => {
    expect(readPrompt('Which code puts `while(1);` there, and calls `stop()`?')).toMatchObject({
      phrases: ['while(1);'],
      identifiers: expect.arrayContaining(['stop']),
    });
  });
});

it.each([
  ['What calls stow?', ['stow']],
  ['Where is stow used in the barge?', ['stow']],
  ['Who uses the stow function', ['stow']],
  ['callers of stow', ['stow']],
  ['What depends on stow?', ['stow']],
  ['Which settings are read for the cargo hold of a ship?', []],
  ['Who reads the cargo list?', []],
  ['Where is the buffer used for reading allocated?', []],
  ['Where is the hold of a ship read?', []],
  ['What is used to stow cargo?', []],
])('takes a word at the end of its phrase for the name of what is used: %s', (prompt, used) => {
  expect(readMentions(prompt).used).toEqual(used);
});

it.each([
  ['what did puma#3943 change', [3943]],
  ['https://git.example/acme/web/pull/12/files', [12]],
  ['https://git.example/acme/web/-/merge_requests/7', [7]],
  ['written in C#12 or F#4', []],
])('finds the pull requests in %s', (prompt, pulls) => {
  expect(readMentions(prompt).pulls).toEqual(pulls);
});
