import { anyOf, type LanguageRules, NAME, SLASH_STAR, wordsOf } from './line-rule.ts';

const EXPORTED = anyOf(['export', 'default', 'declare', 'abstract', 'async']);
const LEADING = ['export', 'default', 'declare', 'abstract', 'async'];
const MEMBER = anyOf(
  wordsOf('public private protected static override abstract readonly declare async accessor get set'),
);
const STATEMENT =
  '(?!(?:if|for|while|switch|return|catch|super|await|throw|new|typeof|else|do|case|try|yield|delete|void)\\b)';
/** A value that is a function, as far as its first line tells. */
const FUNCTION_VALUE = `(?:async\\s*)?(?:function\\b|(?:<[^>]*>)?\\([^()]*\\)\\s*(?::[^=]+)?=>|${NAME}\\s*=>|(?:<[^>]*>)?\\(\\{?\\s*$)`;
const ASSIGNED = `(?::[^=]*)?=\\s*${FUNCTION_VALUE}`;

const method = {
  pattern: `${STATEMENT}${MEMBER}\\*?\\s*#?(${NAME})\\s*[?!]?\\s*(?:<[^(]*>?)?\\(`,
  kind: 'method',
} as const;

/** TypeScript and JavaScript, with their dialects. */
export const ecmascript: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${EXPORTED}function\\s*\\*?\\s*(${NAME})`,
      kind: 'function',
      words: [...LEADING, 'function'],
    },
    { pattern: `${EXPORTED}class\\s+(${NAME})`, kind: 'class', words: [...LEADING, 'class'], opens: 'class' },
    {
      pattern: `${EXPORTED}interface\\s+(${NAME})\\s*(?:[<{]|extends\\b|$)`,
      kind: 'interface',
      words: ['export', 'declare', 'interface'],
      opens: 'interface',
    },
    {
      pattern: `${EXPORTED}type\\s+(${NAME})\\s*(?:[<=]|$)`,
      kind: 'type',
      words: ['export', 'declare', 'type'],
    },
    {
      pattern: `${EXPORTED}(?:const\\s+)?enum\\s+(${NAME})`,
      kind: 'enum',
      words: ['export', 'declare', 'const', 'enum'],
    },
    {
      pattern: `${EXPORTED}(?:namespace|module)\\s+([\\w$.]+)\\s*\\{`,
      kind: 'module',
      words: ['export', 'declare', 'namespace', 'module'],
      opens: 'namespace',
    },
    {
      pattern: `${EXPORTED}(?:const|let|var)\\s+(${NAME})\\s*${ASSIGNED}`,
      kind: 'function',
      words: ['export', 'declare', 'const', 'let', 'var'],
      place: 'outer',
    },
    {
      pattern: `${EXPORTED}const\\s+(${NAME})\\s*(?:[:=]|$)`,
      kind: 'constant',
      words: ['export', 'declare', 'const'],
      place: 'outer',
    },
    {
      pattern: `${EXPORTED}(?:let|var)\\s+(${NAME})\\s*(?:[:=;,]|$)`,
      kind: 'variable',
      words: ['export', 'declare', 'let', 'var'],
      place: 'outer',
    },
    {
      pattern: `(?:module\\.)?exports\\.(${NAME})\\s*=\\s*${FUNCTION_VALUE}`,
      kind: 'function',
      words: ['module', 'exports'],
    },
    {
      pattern: `(?:${NAME}\\.)+(${NAME})\\s*=\\s*(?:async\\s+)?function\\b`,
      kind: 'method',
      place: 'top',
    },
  ],
  members: {
    class: [
      method,
      { pattern: `${MEMBER}#?(${NAME})\\s*[?!]?\\s*${ASSIGNED}`, kind: 'method' },
      { pattern: `${MEMBER}#?(${NAME})\\s*[?!]?\\s*[:=;]`, kind: 'field' },
    ],
    interface: [method],
    namespace: [],
  },
};
