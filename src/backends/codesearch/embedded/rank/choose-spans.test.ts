import { describe, expect, it, vi } from 'vitest';
import { wordsOf } from '../format/terms.ts';
import { chooseSpans } from './choose-spans.ts';
import type { RankTerm } from './rank-terms.ts';

const terms = ['lease', 'renew'].map(
  (word): RankTerm => ({
    word,
    content: [...wordsOf(word).keys()][0] ?? 0,
    path: 0,
    contentWeight: 3,
    pathWeight: 0,
  }),
);
const filler = (count: number): string => 'nothing to see;\n'.repeat(count);

describe('spans', () => {
  it('begin where the terms stand together, within their block', () => {
    const text = `${filler(50)}\nfunction renewLease() {\n  renew(lease);\n}\n\n${filler(50)}`;
    expect(chooseSpans(Buffer.from(text), terms, [])[0]).toEqual({ startLine: 52, endLine: 54 });
  });

  it('are at most three, apart, the best first', () => {
    const block = '\nlease\n\n';
    const text = [block, '\nrenew lease\n\n', block, block, block].join(filler(60));
    const spans = chooseSpans(Buffer.from(text), terms, []);
    expect(spans).toHaveLength(3);
    expect(spans[0]?.startLine).toBe(65);
    expect(new Set(spans.map((span) => span.startLine)).size).toBe(3);
  });

  it('prefer a name as written', () => {
    const text = `lease renew\n${filler(60)}\nacquireLease();\n\n${filler(60)}`;
    expect(chooseSpans(Buffer.from(text), terms, ['acquireLease'])[0]?.startLine).toBe(63);
  });

  it('are the first lines where no term stands, and none of an empty file', () => {
    expect(chooseSpans(Buffer.from(filler(60)), terms, [])).toEqual([{ startLine: 1, endLine: 20 }]);
    expect(chooseSpans(Buffer.alloc(0), terms, [])).toEqual([]);
  });

  it('look for a name once on each line, however often it stands there', () => {
    const text = Buffer.from(`${'lock '.repeat(1000)}\n`.repeat(3));
    const looks = vi.spyOn(text, 'indexOf');
    expect(chooseSpans(text, terms, ['lock'])).toEqual([{ startLine: 1, endLine: 3 }]);
    expect(looks.mock.calls.filter(([wanted]) => wanted === 'lock')).toHaveLength(3);
  });
});
