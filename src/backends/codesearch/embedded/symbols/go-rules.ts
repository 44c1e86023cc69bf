import { type LanguageRules, type LineRule, namePattern, slashStar } from './line-rule.ts';

const typed = (lead: string, more: Partial<LineRule>): LineRule[] => [
  {
    pattern: `${lead}(${namePattern})(?:\\[[^\\]]*\\])?\\s+struct\\b`,
    kind: 'struct',
    ...more,
    opens: 'struct',
  },
  {
    pattern: `${lead}(${namePattern})(?:\\[[^\\]]*\\])?\\s+interface\\b`,
    kind: 'interface',
    ...more,
    opens: 'interface',
  },
  { pattern: `${lead}(${namePattern})(?:\\[[^\\]]*\\])?\\s+\\S`, kind: 'type', ...more },
];
const value = `(?!_\\b)(${namePattern})(?=\\s|,|=|$)`;

export const go: LanguageRules = {
  blocks: slashStar,
  rules: [
    { pattern: `func\\s+\\([^)]*\\)\\s*(${namePattern})`, kind: 'method', words: ['func'], place: 'top' },
    {
      pattern: `func\\s+(?!_\\b)(${namePattern})\\s*[(\\[]`,
      kind: 'function',
      words: ['func'],
      place: 'top',
    },
    { pattern: 'type\\s*\\(', kind: 'type', words: ['type'], place: 'top', opens: 'types' },
    ...typed('type\\s+', { words: ['type'], place: 'top' }),
    { pattern: 'const\\s*\\(', kind: 'constant', words: ['const'], place: 'top', opens: 'constants' },
    { pattern: `const\\s+${value}`, kind: 'constant', words: ['const'], place: 'top' },
    { pattern: 'var\\s*\\(', kind: 'variable', words: ['var'], place: 'top', opens: 'variables' },
    { pattern: `var\\s+${value}`, kind: 'variable', words: ['var'], place: 'top' },
  ],
  members: {
    types: typed('', {}),
    constants: [{ pattern: value, kind: 'constant' }],
    variables: [{ pattern: value, kind: 'variable' }],
    interface: [{ pattern: `(${namePattern})\\(`, kind: 'method' }],
    struct: [{ pattern: `(${namePattern})(?:,\\s*${namePattern})*\\s+[\\w*\\[(<]`, kind: 'field' }],
  },
};
