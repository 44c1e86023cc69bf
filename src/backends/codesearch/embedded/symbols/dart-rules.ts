import { type LanguageRules, NAME, SLASH_STAR } from './line-rule.ts';

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
