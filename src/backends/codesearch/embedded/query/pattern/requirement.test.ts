import { describe, expect, it } from 'vitest';
import { parsePattern } from '../../../parse-pattern.ts';
import { type Requirement, requireLiteral, requirePattern } from './requirement.ts';

/** Returns the case-folded text of a trigram, which holds three letters of seven bits. */
function textOf(trigram: number): string {
  return String.fromCharCode(trigram >> 14, (trigram >> 7) & 0x7f, trigram & 0x7f);
}

/** Formats a requirement as text: `a & (b | c)`. */
function format(requirement: Requirement): string {
  if (requirement.kind === 'nothing') return '-';
  if (requirement.kind === 'text') return requirement.bytes;
  if (requirement.kind === 'class') {
    const texts = requirement.trigrams.map(textOf);
    return `[${texts.length} from ${texts[0]} to ${texts.at(-1)}]`;
  }
  return `(${requirement.of.map(format).join(requirement.kind === 'all' ? ' & ' : ' | ')})`;
}

function required(source: string, caseSensitive = true): string {
  const parsed = parsePattern(source, caseSensitive);
  return format(requirePattern(parsed.ast, parsed.caseSensitive));
}

describe('the requirement of a pattern', () => {
  it.each([
    ['abc', 'abc'],
    ['abc.*def', '(abc & def)'],
    ['\\d-\\d', '(- & [100 from 0-0 to 9-9])'],
    ['x\\d+y', '(x & y)'],
    ['ab\\d+cd', '(ab & cd & [10 from ab0 to ab9] & [10 from 0cd to 9cd])'],
    ['v[A-Ca]\\.x', '(v & .x & [3 from va. to vc.] & [3 from a.x to c.x])'],
    ['\\d{3}', '-'],
    ['[^a]bc', 'bc'],
    ['(get|set)Name', '(getName | setName)'],
    ['(abc|def.*ghi)', '(abc | (def & ghi))'],
    ['colou?r', '(color | colour)'],
    ['(foo)+bar', '(foo & foobar)'],
    ['ab+c', '(ab & bc)'],
    ['(abc)*def', 'def'],
    ['[Tt]imeout', '(Timeout | timeout)'],
    ['^abc$', 'abc'],
    ['abc|.*', '-'],
    ['[a-z]+', '-'],
    ['\\w+Error', 'Error'],
  ])('%s: %s', (source, expected) => {
    expect(required(source)).toBe(expected);
  });

  it('excludes characters whose case variants have other bytes', () => {
    expect(required('größe', false)).toBe('(gr & e)');
    expect(format(requireLiteral('größe', false))).toBe('(gr & e)');
    expect(required('größe')).toBe(Buffer.from('größe').toString('latin1'));
  });
});
