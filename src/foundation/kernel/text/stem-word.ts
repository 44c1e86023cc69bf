const consonants = '[^aeiou][^aeiouy]*';
const vowels = '[aeiouy][aeiou]*';
/** At least one, exactly one and at least two sequences of a vowel and a consonant. */
const measureAbove0 = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const measure1 = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const measureAbove1 = new RegExp(`^(?:${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(?:${consonants})?[aeiouy]`);
const endsShort = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`);

const longSuffixes: Readonly<Record<string, string>> = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
};
const shortSuffixes: Readonly<Record<string, string>> = {
  icate: 'ic',
  ative: '',
  alize: 'al',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
};
const longSuffix = new RegExp(`^(.+?)(${Object.keys(longSuffixes).join('|')})$`);
const shortSuffix = new RegExp(`^(.+?)(${Object.keys(shortSuffixes).join('|')})$`);
const lastSuffix =
  /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ou|ism|ate|iti|ous|ive|ize|(?<=[st])ion)$/;

const maxKnown = 50_000;
/**
 * Stems of the words that were asked for. It is the state of a module, against the rule, because it passes nothing from
 * one question to another: a stem depends on its word alone.
 */
const known = new Map<string, string>();

/** Returns the stem of an English word in lower case, by the algorithm of Porter: `valid` of `validation`. */
export function stemWord(word: string): string {
  const found = known.get(word);
  if (found !== undefined) return found;
  if (known.size >= maxKnown) known.clear();
  const stem = word.length < 3 || !/^[a-z]+$/.test(word) ? word : porter(word);
  known.set(word, stem);
  return stem;
}

function porter(word: string): string {
  const starts = word.startsWith('y');
  let stem = withoutInflection(starts ? `Y${word.slice(1)}` : word);
  stem = replaceSuffix(stem, longSuffix, longSuffixes);
  stem = replaceSuffix(stem, shortSuffix, shortSuffixes);
  const last = lastSuffix.exec(stem)?.[1];
  if (last !== undefined && measureAbove1.test(last)) stem = last;
  const beforeE = /^(.+)e$/.exec(stem)?.[1];
  if (
    beforeE !== undefined &&
    (measureAbove1.test(beforeE) || (measure1.test(beforeE) && !endsShort.test(beforeE)))
  )
    stem = beforeE;
  if (stem.endsWith('ll') && measureAbove1.test(stem)) stem = stem.slice(0, -1);
  return starts ? `y${stem.slice(1)}` : stem;
}

/** Removes the endings of plurals, of the past and of participles, and writes a last `y` as `i`. */
function withoutInflection(word: string): string {
  let stem = word.replace(/(ss|i)es$/, '$1').replace(/([^s])s$/, '$1');
  if (stem.endsWith('eed')) {
    if (measureAbove0.test(stem.slice(0, -3))) stem = stem.slice(0, -1);
  } else {
    const before = /^(.+?)(?:ed|ing)$/.exec(stem)?.[1];
    if (before !== undefined && hasVowel.test(before)) stem = completed(before);
  }
  return stem.endsWith('y') && hasVowel.test(stem.slice(0, -1)) ? `${stem.slice(0, -1)}i` : stem;
}

function completed(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem) || endsShort.test(stem)) return `${stem}e`;
  return /([^aeiouylsz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

function replaceSuffix(word: string, suffix: RegExp, by: Readonly<Record<string, string>>): string {
  const [, before, ending] = suffix.exec(word) ?? [];
  if (before === undefined || ending === undefined || !measureAbove0.test(before)) return word;
  return before + by[ending]!;
}
