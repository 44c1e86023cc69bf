/** Groups of words that code uses for what people call by another one of them. */
const groups: readonly string[] = [
  'compute calculate calc adjust estimate derive',
  'verify check validate',
  'decide should determine choose select',
  'skip ignore exclude filter',
  'limit max maximum throttle cap',
  'recover restore reclaim reap requeue resume release',
  'kill die crash expire lost stop dead',
  'remove delete evict purge drop discard strip trim',
  'create make build construct new',
  'start boot launch run open begin',
  'stop close shutdown terminate finish end exit',
  'match find lookup resolve search locate',
  'send dispatch emit publish deliver write',
  'fail error raise throw reject crash exception panic',
  'missing absent required undefined',
  'wait sleep pause delay block',
  'suggest similar closest distance hint',
  'duplicate seen unique fingerprint dedupe twice',
  'print render format write display show',
  'know detect notice determine',
  'wrong invalid incorrect bad malformed mismatch unexpected',
  'enforce restrict limit check',
  'default fallback unset',
  'mount attach nest register',
  'serialize dump encode stringify convert',
  'deserialize parse decode load convert',
  'setting config option preference',
  'folder directory dir',
  'keep preserve retain hold',
  'remember save store persist cache',
  'url uri address link',
  'verb method',
  'login session auth signin',
  'combine merge join',
  'split divide chunk',
  'retry again attempt',
  'incoming request inbound',
];
const related: ReadonlyMap<string, readonly string[]> = new Map(
  groups.flatMap((group) => {
    const words = group.split(' ');
    return words.map((word) => [word, words.filter((other) => other !== word)] as const);
  }),
);

/** Returns the words that code may use instead of those of a question. */
export function relatedWords(terms: readonly string[]): readonly string[] {
  return [
    ...new Set(
      terms.flatMap((term) => formsOf(term.toLowerCase()).flatMap((form) => related.get(form) ?? [])),
    ),
  ];
}

/** Returns a word and what remains of it without the ending of a verb or plural. */
function formsOf(term: string): readonly string[] {
  const base = term.replace(/(?:ing|ed|es|s|d)$/u, '');
  return [term, base, `${base}e`, base.replace(/([^aeiou])\1$/u, '$1')];
}
