/** The POSIX named classes, limited to ASCII as in RE2 and ripgrep: first and last character of each range. */
const classes: ReadonlyMap<string, string> = new Map([
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

/** Names of all POSIX classes. */
export const classNames: readonly string[] = [...classes.keys()];

type Range = readonly [first: number, last: number];

const newlineByte = 0x0a;
const longS: Range = [0x17f, 0x17f];
const kelvin: Range = [0x212a, 0x212a];

/**
 * Translates `[:name:]` to class members in JavaScript syntax; `undefined` for an unknown name. Cases are folded
 * before a class is complemented, so that `(?i)[[:^lower:]]` matches no letter of either case, nor U+212A, which
 * folds to k.
 */
export function namedClass(
  name: string,
  { negated, folds }: { readonly negated: boolean; readonly folds: boolean },
): string | undefined {
  const isSingleCase = name === 'lower' || name === 'upper';
  const bounds = classes.get(folds && isSingleCase ? 'alpha' : name);
  if (bounds === undefined) return undefined;
  const ranges = rangesOf(bounds);
  if (!negated) return ranges.map(printRange).join('');
  const includesKAndS = ranges.some(([first, last]) => first <= 0x6b && 0x73 <= last);
  return gapsOf(folds && includesKAndS ? [...ranges, longS, kelvin] : ranges)
    .map(printRange)
    .join('');
}

function rangesOf(bounds: string): Range[] {
  const codes = Array.from(bounds, (character) => character.charCodeAt(0));
  return codes.flatMap((first, at): Range[] => (at % 2 === 0 ? [[first, codes[at + 1] ?? first]] : []));
}

/** Returns the gaps between sorted ranges. */
function gapsOf(ranges: readonly Range[]): Range[] {
  const starts = [0, ...ranges.map(([, last]) => last + 1)];
  const ends = [...ranges.map(([first]) => first - 1), 0x10ffff];
  return starts.flatMap((start, at): Range[] => {
    // No class matches a newline, and a pattern must not contain one.
    const from = start === newlineByte ? start + 1 : start;
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
