const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
const NEWLINE = 0x0a;

/**
 * The code points of sets up to `most`, each set as V8 with the flag `v` understands it, as a class of RE2. To ask takes
 * about 20 ms a set, once; characters of ASCII are known.
 */
export function codePointRanges(caseSensitive: boolean, most: number): (set: string) => string {
  let every: string | undefined;
  const known = new Map<string, string>();
  return (set) => {
    const single = singleCharacter(set, caseSensitive);
    if (single !== undefined) return single;
    every ??= everyCodePoint(most);
    const ranges = known.get(set) ?? rangesIn(every, set, caseSensitive);
    known.set(set, ranges);
    return ranges;
  };
}

/** A character by itself, where its other cases are known: those of ASCII, where only k and s have one beyond it. */
function singleCharacter(set: string, caseSensitive: boolean): string | undefined {
  const code = /^\\u\{([0-9a-f]+)\}$/.exec(set)?.[1];
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(Number.parseInt(code, 16));
  if (caseSensitive) return hex(character);
  if (character > '\x7f' || /[ks]/i.test(character)) return undefined;
  const cases = new Set([character.toLowerCase(), character.toUpperCase()]);
  return `[${[...cases].map(hex).join('')}]`;
}

/** All that text can hold, in order, and a newline, which no set matches, in the place of surrogates. */
function everyCodePoint(most: number): string {
  const units = new Uint16Array(2 * (most + 1));
  let length = 0;
  for (let code = 0; code <= most; code++) {
    if (code > 0xffff) {
      units[length++] = FIRST_SURROGATE + ((code - 0x10000) >> 10);
      units[length++] = 0xdc00 + (code & 0x3ff);
    } else if (code < FIRST_SURROGATE || code > LAST_SURROGATE) units[length++] = code;
    else if (code === FIRST_SURROGATE) units[length++] = NEWLINE;
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
