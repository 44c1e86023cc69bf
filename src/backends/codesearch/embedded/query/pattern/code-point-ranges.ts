const firstSurrogate = 0xd800;
const lastSurrogate = 0xdfff;
const newlineByte = 0x0a;

/**
 * Returns a function that converts a set to an RE2 class of its code points up to `max`, with the meaning that the
 * set has in V8 with the flag `v`. Each set takes about 20 ms once; ASCII characters are converted directly.
 */
export function codePointRanges(caseSensitive: boolean, max: number): (set: string) => string {
  let every: string | undefined;
  const known = new Map<string, string>();
  return (set) => {
    const single = singleCharacter(set, caseSensitive);
    if (single !== undefined) return single;
    every ??= everyCodePoint(max);
    const ranges = known.get(set) ?? rangesIn(every, set, caseSensitive);
    known.set(set, ranges);
    return ranges;
  };
}

/**
 * Converts a single character whose case variants are known: an ASCII character other than k and s, which have
 * variants beyond ASCII. Any character qualifies if the pattern is case-sensitive.
 */
function singleCharacter(set: string, caseSensitive: boolean): string | undefined {
  const code = /^\\u\{([0-9a-f]+)\}$/.exec(set)?.[1];
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(Number.parseInt(code, 16));
  if (caseSensitive) return hex(character);
  if (character > '\x7f' || /[ks]/i.test(character)) return undefined;
  const cases = new Set([character.toLowerCase(), character.toUpperCase()]);
  return `[${[...cases].map(hex).join('')}]`;
}

/** Returns all code points of text in order. One newline, which no set matches, replaces the surrogates. */
function everyCodePoint(max: number): string {
  const units = new Uint16Array(2 * (max + 1));
  let length = 0;
  for (let code = 0; code <= max; code++) {
    if (code > 0xffff) {
      units[length++] = firstSurrogate + ((code - 0x10000) >> 10);
      units[length++] = 0xdc00 + (code & 0x3ff);
    } else if (code < firstSurrogate || code > lastSurrogate) units[length++] = code;
    else if (code === firstSurrogate) units[length++] = newlineByte;
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

function rangesIn(every: string, set: string, caseSensitive: boolean): string {
  let ranges = '';
  for (const { 0: run, index } of every.matchAll(new RegExp(`(?:${set})+`, caseSensitive ? 'gv' : 'giv'))) {
    const last = run.length - (/[\udc00-\udfff]/.test(run.at(-1)!) ? 2 : 1);
    const [from, to] = [every.codePointAt(index)!, run.codePointAt(last)!].map((code) =>
      hex(String.fromCodePoint(code)),
    );
    ranges += from === to ? from : `${from}-${to}`;
  }
  return ranges === '' ? '[^\\x{0}-\\x{10ffff}]' : `[${ranges}]`;
}

function hex(character: string): string {
  return `\\x{${character.codePointAt(0)!.toString(16)}}`;
}
