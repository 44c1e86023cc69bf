import { type LanguageRules, NAME } from './line-rule.ts';

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
