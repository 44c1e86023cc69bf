import { type LanguageRules, NAME } from './line-rule.ts';

const VALUE = '\\s*(?::[^=]+)?=(?!=)';

export const python: LanguageRules = {
  blocks: [
    { open: '"""', close: '"""' },
    { open: 'r"""', close: '"""' },
    { open: "'''", close: "'''" },
  ],
  rules: [
    {
      pattern: `(?:async\\s+)?def\\s+(${NAME})\\s*[(\\[]`,
      kind: 'function',
      inside: 'method',
      words: ['def', 'async'],
    },
    {
      pattern: `(?:cdef\\s+)?class\\s+(${NAME})\\s*[(:\\[]`,
      kind: 'class',
      words: ['class', 'cdef'],
      opens: 'class',
    },
    { pattern: `type\\s+(${NAME})\\s*(?:\\[[^\\]]*\\]\\s*)?=`, kind: 'type', words: ['type'], place: 'top' },
    { pattern: `([A-Z_][A-Z0-9_]*)${VALUE}`, kind: 'constant', place: 'top' },
    { pattern: `(${NAME})${VALUE}`, kind: 'variable', place: 'top' },
  ],
  members: {
    class: [
      { pattern: `(${NAME})${VALUE}`, kind: 'field' },
      { pattern: `([a-z_]\\w*)\\s*:\\s*[\\w.\\[\\], |"']+(?:#.*)?$`, kind: 'field' },
    ],
  },
};
