import { type LanguageRules, namePattern } from './line-rule.ts';

const value = '\\s*(?::[^=]+)?=(?!=)';

export const python: LanguageRules = {
  blocks: [
    { open: '"""', close: '"""' },
    { open: 'r"""', close: '"""' },
    { open: "'''", close: "'''" },
  ],
  rules: [
    {
      pattern: `(?:async\\s+)?def\\s+(${namePattern})\\s*[(\\[]`,
      kind: 'function',
      inside: 'method',
      words: ['def', 'async'],
    },
    {
      pattern: `(?:cdef\\s+)?class\\s+(${namePattern})\\s*[(:\\[]`,
      kind: 'class',
      words: ['class', 'cdef'],
      opens: 'class',
    },
    {
      pattern: `type\\s+(${namePattern})\\s*(?:\\[[^\\]]*\\]\\s*)?=`,
      kind: 'type',
      words: ['type'],
      place: 'top',
    },
    { pattern: `([A-Z_][A-Z0-9_]*)${value}`, kind: 'constant', place: 'top' },
    { pattern: `(${namePattern})${value}`, kind: 'variable', place: 'top' },
  ],
  members: {
    class: [
      { pattern: `(${namePattern})${value}`, kind: 'field' },
      { pattern: `([a-z_]\\w*)\\s*:\\s*[\\w.\\[\\], |"']+(?:#.*)?$`, kind: 'field' },
    ],
  },
};
