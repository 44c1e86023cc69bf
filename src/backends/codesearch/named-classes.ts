/** The classes that POSIX names, of ASCII as in RE2 and ripgrep: first and last character of each range. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['alnum', '09AZaz'],
  ['alpha', 'AZaz'],
  ['ascii', '\0\x7f'],
  ['blank', '\t\t  '],
  ['cntrl', '\0\x1f\x7f\x7f'],
  ['digit', '09'],
  ['graph', '!~'],
  ['lower', 'az'],
  ['print', ' ~'],
  ['punct', '!/:@[`{~'],
  ['space', '\t\r  '],
  ['upper', 'AZ'],
  ['word', '09AZ__az'],
  ['xdigit', '09AFaf'],
]);

export const namesOfClasses: readonly string[] = [...CLASSES.keys()];

type Range = readonly [first: number, last: number];

const NEWLINE = 0x0a;
const LONG_S: Range = [0x17f, 0x17f];
const KELVIN: Range = [0x212a, 0x212a];

/**
 * `[:name:]` as members of a class in JavaScript. A class is complemented after its cases were folded, so that
 * `(?i)[[:^lower:]]` matches no letter of either case, nor U+212A, which is a k.
 */
export function namedClass(
  name: string,
  { negated, folds }: { readonly negated: boolean; readonly folds: boolean },
): string | undefined {
  const oneCase = name === 'lower' || name === 'upper';
  const bounds = CLASSES.get(folds && oneCase ? 'alpha' : name);
  if (bounds === undefined) return undefined;
  const ranges = rangesOf(bounds);
  if (!negated) return ranges.map(printRange).join('');
  const holdsLetters = ranges.some(([first, last]) => first <= 0x6b && 0x73 <= last);
  return gapsOf(folds && holdsLetters ? [...ranges, LONG_S, KELVIN] : ranges)
    .map(printRange)
    .join('');
}

function rangesOf(bounds: string): Range[] {
  const codes = Array.from(bounds, (character) => character.charCodeAt(0));
  return codes.flatMap((first, at): Range[] => (at % 2 === 0 ? [[first, codes[at + 1] ?? first]] : []));
}

/** What lies between ranges that are in order. */
function gapsOf(ranges: readonly Range[]): Range[] {
  const starts = [0, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), 0x10ffff];
  return starts.flatMap((start, at): Range[] => {
    // No class matches a newline, and a pattern may not name one.
    const from = start === NEWLINE ? start + 1 : start;
    const to = ends[at] ?? from;
    return from > to ? [] : [[from, to]];
  });
}

function printRange([first, last]: Range): string {
  return `${printCode(first)}-${printCode(last)}`;
}

function printCode(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
