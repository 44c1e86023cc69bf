import { type LanguageRules, type LineRule, NAME, SLASH_STAR } from './line-rule.ts';

const typed = (lead: string, more: Partial<LineRule>): LineRule[] => [
  { pattern: `${lead}(${NAME})(?:\\[[^\\]]*\\])?\\s+struct\\b`, kind: 'struct', ...more, opens: 'struct' },
  {
    pattern: `${lead}(${NAME})(?:\\[[^\\]]*\\])?\\s+interface\\b`,
    kind: 'interface',
    ...more,
    opens: 'interface',
  },
  { pattern: `${lead}(${NAME})(?:\\[[^\\]]*\\])?\\s+\\S`, kind: 'type', ...more },
];
const value = `(?!_\\b)(${NAME})(?=\\s|,|=|$)`;

export const go: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    { pattern: `func\\s+\\([^)]*\\)\\s*(${NAME})`, kind: 'method', words: ['func'], place: 'top' },
    { pattern: `func\\s+(?!_\\b)(${NAME})\\s*[(\\[]`, kind: 'function', words: ['func'], place: 'top' },
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
    interface: [{ pattern: `(${NAME})\\(`, kind: 'method' }],
    struct: [{ pattern: `(${NAME})(?:,\\s*${NAME})*\\s+[\\w*\\[(<]`, kind: 'field' }],
  },
};
