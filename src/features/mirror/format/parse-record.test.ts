import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../test/support/mirror/record-arbitrary.ts';
import { parseRecord, printRecord, type RecordInput } from '../../../../test/support/mirror/records.ts';

const path = 'tracker/issues/ENG/ENG-1.md';
const issue = {
  type: 'issue',
  id: 'i1',
  identifier: 'ENG-1',
  title: 'Fix login',
  team: 'ENG',
  createdAt: '2025-01-01T00:00:00Z',
  updatedAt: '2025-01-02T00:00:00Z',
  body: 'Text',
  comments: [{ id: 'c1', createdAt: '2025-01-01T10:00:00Z', body: 'First' }],
} as const satisfies RecordInput;
const { content } = printRecord(issue);

function parsed(text: string, at = path): unknown {
  return parseRecord(at, text)?.record;
}

describe('a path', () => {
  it.each([
    'tracker/config.yaml',
    'README.md',
    'docs/tracker/issues/ENG/ENG-1.md',
    'tracker/issues/ENG-1.md',
    'tracker/issues/ENG/assets/ENG-1/notes.md',
    'tracker/issues/ENG/ENG-1.txt',
    'oncall/incidents/ENG-1.md',
  ])('where no record lies gives none: %s', (at) => {
    expect(parseRecord(at, content)).toBeUndefined();
  });

  it.each(['tracker/issues/ENG/ENG-2.md', 'tracker/issues/OPS/ENG-1.md', 'tracker/issues/eng/ENG-1.md'])(
    'that is not the record’s own gives none: %s',
    (at) => {
      expect(parsed(content, at)).toBeUndefined();
    },
  );

  it('of another kind gives none', () => {
    expect(parsed(content, 'tracker/documents/eng-1.md')).toBeUndefined();
  });
});

describe('a file that was edited by hand', () => {
  it.each([
    ['is empty', ''],
    ['has no end of the front matter', '---\nid: i1\n'],
    ['has other YAML than what is printed', content.replace('title: Fix login', "title: 'Fix login'")],
    ['lacks a value', content.replace('id: i1\n', '')],
    ['has a wrong value', content.replace('team: ENG', 'team: [1]')],
    ['has a time without offset', content.replace('01T00:00:00.000Z', '01T00:00:00')],
    ['has a comment without id', content.replace('"id":"c1",', '')],
    ['has metadata that is not JSON', content.replace('"c1"', 'c1')],
    ['has text between comments', `${content}\nMe too\n`],
    ['has a quotation before all comments', content.replace('<!-- orgctx:comments -->', '$&\n> ')],
    ['uses aliases', content.replace('id: i1', 'id: &a i1\nurl: *a')],
    ['is nested deeply', content.replace('i1', '['.repeat(20_000))],
  ])('gives none if it %s', (_, text) => {
    expect(text).not.toBe(content);
    expect(parsed(text)).toBeUndefined();
  });

  it('is read with any line ends and unknown keys', () => {
    const edited = content
      .replace('title: Fix login', 'note: mine\ntitle: Fix login\nestimate: 3')
      .replaceAll('\n', '\r\n');
    expect(parsed(edited)).toMatchObject({ title: 'Fix login', estimate: 3, comments: [{ body: 'First' }] });
  });

  it('cannot end the comment that holds the metadata of an entry', () => {
    const author = { id: 'u1', name: '--><h1>Ada' };
    const printed = printRecord({ ...issue, comments: [{ ...issue.comments[0], author }] }).content;
    expect(printed.match(/-->/gu)).toHaveLength(2);
    expect(parsed(printed)).toMatchObject({ comments: [{ author }] });
  });

  it('takes linear time, whatever it contains', () => {
    const parts = [
      '- ',
      '> \n',
      '#\n',
      '<!-- orgctx:comment {} -->\n',
      '\\',
      '&a ',
      '"',
      'a: |\n',
      '\u0301\u0323',
    ];
    for (const part of parts) {
      const long = part.repeat(100_000 / part.length);
      expect(parsed(`---\n${long}\n---\n`)).toBeUndefined();
      expect(() => parsed(`${content.slice(0, -1)}${long}`)).not.toThrow();
      expect(() => parsed(`${content.slice(0, content.indexOf('\nText'))}${long}`)).not.toThrow();
    }
  });

  it('never throws', () => {
    const lines = content.split('\n');
    const hostile = fc.oneof(fc.constantFrom(...lines), anyText, fc.json({ maxDepth: 2 }));
    const text = fc.array(hostile, { maxLength: 8 }).map((some) => ['---', ...some].join('\n'));
    fc.assert(
      fc.property(text, (some) => void parsed(some)),
      { numRuns: 100 },
    );
  });
});

describe('long records', () => {
  it.each([
    ['lines', 'word word\n'],
    ['separators', '<!-- orgctx:comments -->\n'],
    ['emoji', '👩‍💻'],
    ['backslashes', '\\'],
    ['quotations', '> '],
  ])('with 1 MiB of %s are printed and parsed', (_, part) => {
    const body = part.repeat(1024 ** 2 / part.length);
    const long = { ...issue, title: body, body, comments: [{ ...issue.comments[0], body }] };
    const file = printRecord(long);
    const result = parseRecord(path, file.content);
    expect(result && printRecord(result.record).content === file.content).toBe(true);
    expect(result).toMatchObject({ record: { body: body.trimEnd(), comments: [{ body: body.trimEnd() }] } });
  });

  it('with 20,000 users are printed and parsed', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ id: `u${index}`, name: `Ada ${index}` }));
    const file = printRecord({ type: 'users', items });
    expect(parseRecord(file.path, file.content)).toMatchObject({ record: { items: { length: 20_000 } } });
  });
});

describe('an address', () => {
  it.each([
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['https://user:secret@tracker.example/a', 'https://tracker.example/a'],
    ['https://tracker.example/a?b=c', 'https://tracker.example/a?b=c'],
  ])('%s is printed as %s', (url, expected) => {
    const printed = printRecord({ ...issue, url }).content;
    expect(/^url: (.*)$/mu.exec(printed)?.[1]).toBe(expected);
    expect(parsed(printed)).toMatchObject({ title: 'Fix login' });
  });
});
