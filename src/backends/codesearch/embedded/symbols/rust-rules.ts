import { type LanguageRules, type LineRule, NAME, SLASH_STAR } from './line-rule.ts';

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
