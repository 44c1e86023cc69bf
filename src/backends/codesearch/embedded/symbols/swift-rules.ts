import { anyOf, type LanguageRules, type LineRule, NAME, SLASH_STAR, wordsOf } from './line-rule.ts';

const SWIFT_WORDS = wordsOf(
  'public private fileprivate internal open static final override mutating nonmutating required convenience lazy weak unowned indirect nonisolated class',
);
const SWIFT = anyOf([...SWIFT_WORDS.map((word) => `${word}(?:\\(set\\))?`), '@\\w+']);
const swiftType = (word: string, kind: LineRule['kind']): LineRule => ({
  pattern: `${SWIFT}${word}\\s+(${NAME})`,
  kind,
  words: [...SWIFT_WORDS, word],
  opens: 'class',
});

export const swift: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${SWIFT}func\\s+(${NAME})`,
      kind: 'function',
      inside: 'method',
      words: [...SWIFT_WORDS, 'func'],
    },
    {
      pattern: `${anyOf(SWIFT_WORDS.slice(0, -1))}class\\s+(?!func\\b|var\\b|let\\b)(${NAME})`,
      kind: 'class',
      words: SWIFT_WORDS,
      opens: 'class',
    },
    swiftType('actor', 'class'),
    swiftType('struct', 'struct'),
    swiftType('enum', 'enum'),
    swiftType('protocol', 'interface'),
    { pattern: `${SWIFT}extension\\b`, kind: 'other', words: [...SWIFT_WORDS, 'extension'], opens: 'class' },
    { pattern: `${SWIFT}typealias\\s+(${NAME})`, kind: 'type', words: [...SWIFT_WORDS, 'typealias'] },
    {
      pattern: `${SWIFT}let\\s+(${NAME})`,
      kind: 'constant',
      inside: 'field',
      words: [...SWIFT_WORDS, 'let'],
      place: 'outer',
    },
    {
      pattern: `${SWIFT}var\\s+(${NAME})`,
      kind: 'variable',
      inside: 'field',
      words: [...SWIFT_WORDS, 'var'],
      place: 'outer',
    },
    { pattern: `case\\s+(${NAME})`, kind: 'constant', words: ['case'], place: 'outer' },
  ],
};
