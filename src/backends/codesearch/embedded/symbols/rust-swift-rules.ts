import { anyOf, type LanguageRules, type LineRule, NAME, SLASH_STAR, wordsOf } from './line-rule.ts';

const PUBLIC = '(?:pub(?:\\([^)]*\\))?\\s+)?';
const FN = `${PUBLIC}(?:default\\s+)?(?:const\\s+)?(?:async\\s+)?(?:unsafe\\s+)?(?:extern\\s+(?:"[^"]*"\\s+)?)?fn\\s+`;
const variant: LineRule = { pattern: `([A-Z]\\w*)\\s*(?:[,({=]|$)`, kind: 'constant' };

export const rust: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${FN}(?:r#)?(${NAME})`,
      kind: 'function',
      inside: 'method',
      words: ['pub', 'default', 'const', 'async', 'unsafe', 'extern', 'fn'],
    },
    {
      pattern: `${PUBLIC}(?:struct|union)\\s+(${NAME})`,
      kind: 'struct',
      words: ['pub', 'struct', 'union'],
      opens: 'struct',
    },
    { pattern: `${PUBLIC}enum\\s+(${NAME})`, kind: 'enum', words: ['pub', 'enum'], opens: 'enum' },
    {
      pattern: `${PUBLIC}(?:unsafe\\s+)?(?:auto\\s+)?trait\\s+(${NAME})`,
      kind: 'interface',
      words: ['pub', 'unsafe', 'auto', 'trait'],
      opens: 'impl',
    },
    { pattern: '(?:unsafe\\s+)?impl\\b', kind: 'other', words: ['unsafe', 'impl'], opens: 'impl' },
    { pattern: `${PUBLIC}type\\s+(${NAME})`, kind: 'type', words: ['pub', 'type'], place: 'outer' },
    {
      pattern: `${PUBLIC}mod\\s+(${NAME})\\s*\\{`,
      kind: 'module',
      words: ['pub', 'mod'],
      opens: 'namespace',
    },
    {
      pattern: `${PUBLIC}const\\s+(?!fn\\b|_)(${NAME})\\s*:`,
      kind: 'constant',
      words: ['pub', 'const'],
      place: 'outer',
    },
    {
      pattern: `${PUBLIC}static\\s+(?:mut\\s+)?(${NAME})\\s*:`,
      kind: 'variable',
      words: ['pub', 'static'],
      place: 'outer',
    },
    { pattern: `macro_rules!\\s*(${NAME})`, kind: 'macro', words: ['macro_rules'] },
  ],
  members: {
    struct: [{ pattern: `${PUBLIC}(?:r#)?(${NAME})\\s*:[^:]`, kind: 'field' }],
    enum: [variant],
    impl: [],
    namespace: [],
  },
};

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

const DART_TYPE = '(?:[\\w.<>,?\\[\\]]+\\s+)';

export const dart: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `(?:(?:abstract|base|final|sealed|interface|mixin)\\s+)*class\\s+(${NAME})`,
      kind: 'class',
      words: ['abstract', 'base', 'final', 'sealed', 'interface', 'mixin', 'class'],
      opens: 'class',
    },
    {
      pattern: `(?:base\\s+)?mixin\\s+(?!class\\b)(${NAME})`,
      kind: 'class',
      words: ['mixin', 'base'],
      opens: 'class',
    },
    { pattern: `extension\\s+(?:type\\s+)?(${NAME})`, kind: 'class', words: ['extension'], opens: 'class' },
    { pattern: `enum\\s+(${NAME})`, kind: 'enum', words: ['enum'], opens: 'class' },
    { pattern: `typedef\\s+(${NAME})`, kind: 'type', words: ['typedef'] },
    {
      pattern: `(?!import\\b|export\\b|part\\b)${DART_TYPE}+(${NAME})\\s*\\(`,
      kind: 'function',
      place: 'top',
    },
    {
      pattern: `(?:const|final|late|var)\\s+${DART_TYPE}*(${NAME})\\s*=`,
      kind: 'constant',
      words: ['const', 'final', 'late', 'var'],
      place: 'top',
    },
  ],
  members: {
    class: [
      {
        pattern: `(?!(?:if|for|while|switch|return|super|throw|assert)\\b)${DART_TYPE}*(?:get\\s+|set\\s+)?(${NAME})\\s*(?:\\(|=>)`,
        kind: 'method',
      },
    ],
  },
};

export const zig: LanguageRules = {
  rules: [
    {
      pattern: `(?:pub\\s+)?(?:export\\s+|extern\\s+|inline\\s+)*fn\\s+(${NAME})`,
      kind: 'function',
      words: ['pub', 'export', 'extern', 'inline', 'fn'],
    },
    {
      pattern: `(?:pub\\s+)?const\\s+(${NAME})\\s*=\\s*(?:extern\\s+|packed\\s+)?(?:struct|union)\\b`,
      kind: 'struct',
      words: ['pub', 'const'],
    },
    { pattern: `(?:pub\\s+)?const\\s+(${NAME})\\s*=\\s*enum\\b`, kind: 'enum', words: ['pub', 'const'] },
    {
      pattern: `(?:pub\\s+)?(?:const|var)\\s+(${NAME})\\s*[:=]`,
      kind: 'constant',
      words: ['pub', 'const', 'var'],
      place: 'top',
    },
  ],
};
