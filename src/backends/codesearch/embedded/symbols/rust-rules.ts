import { type LanguageRules, type LineRule, namePattern, slashStar } from './line-rule.ts';

const publicPattern = '(?:pub(?:\\([^)]*\\))?\\s+)?';
const functionPattern = `${publicPattern}(?:default\\s+)?(?:const\\s+)?(?:async\\s+)?(?:unsafe\\s+)?(?:extern\\s+(?:"[^"]*"\\s+)?)?fn\\s+`;
const variant: LineRule = { pattern: `([A-Z]\\w*)\\s*(?:[,({=]|$)`, kind: 'constant' };

export const rust: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `${functionPattern}(?:r#)?(${namePattern})`,
      kind: 'function',
      inside: 'method',
      words: ['pub', 'default', 'const', 'async', 'unsafe', 'extern', 'fn'],
    },
    {
      pattern: `${publicPattern}(?:struct|union)\\s+(${namePattern})`,
      kind: 'struct',
      words: ['pub', 'struct', 'union'],
      opens: 'struct',
    },
    {
      pattern: `${publicPattern}enum\\s+(${namePattern})`,
      kind: 'enum',
      words: ['pub', 'enum'],
      opens: 'enum',
    },
    {
      pattern: `${publicPattern}(?:unsafe\\s+)?(?:auto\\s+)?trait\\s+(${namePattern})`,
      kind: 'interface',
      words: ['pub', 'unsafe', 'auto', 'trait'],
      opens: 'impl',
    },
    { pattern: '(?:unsafe\\s+)?impl\\b', kind: 'other', words: ['unsafe', 'impl'], opens: 'impl' },
    {
      pattern: `${publicPattern}type\\s+(${namePattern})`,
      kind: 'type',
      words: ['pub', 'type'],
      place: 'outer',
    },
    {
      pattern: `${publicPattern}mod\\s+(${namePattern})\\s*\\{`,
      kind: 'module',
      words: ['pub', 'mod'],
      opens: 'namespace',
    },
    {
      pattern: `${publicPattern}const\\s+(?!fn\\b|_)(${namePattern})\\s*:`,
      kind: 'constant',
      words: ['pub', 'const'],
      place: 'outer',
    },
    {
      pattern: `${publicPattern}static\\s+(?:mut\\s+)?(${namePattern})\\s*:`,
      kind: 'variable',
      words: ['pub', 'static'],
      place: 'outer',
    },
    { pattern: `macro_rules!\\s*(${namePattern})`, kind: 'macro', words: ['macro_rules'] },
  ],
  members: {
    struct: [{ pattern: `${publicPattern}(?:r#)?(${namePattern})\\s*:[^:]`, kind: 'field' }],
    enum: [variant],
    impl: [],
    namespace: [],
  },
};
