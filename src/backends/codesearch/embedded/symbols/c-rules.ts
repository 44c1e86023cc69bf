import { anyOf, type LanguageRules, type LineRule, NAME, SLASH_STAR, wordsOf } from './line-rule.ts';

const STATEMENT =
  '(?!(?:if|for|while|switch|return|else|do|case|goto|throw|delete|new|using|typedef|extern\\s+"C")\\b)';
/** Words of a return type with its stars, each followed by a space or the stars. */
const RETURNS = '(?:[\\w:<>,~&*\\[\\]]+\\s+)*[*&]*';
/** A macro before the name, as in `class API_EXPORT Lease`; what comes before `final` is the name itself. */
const EXPORT = '(?:[A-Z_]+\\s+(?!final\\b))?';
/** Not a prototype: the line is not ended by a semicolon. */
const DEFINED = '\\([^;]*$';

/** Nothing of a name stands before: `\\b` sees an end of a word in the middle of `größe`. */
const STARTS = '(?<![\\w$\\x80-\\xff])';

const shared: readonly LineRule[] = [
  { pattern: `#\\s*define\\s+(${NAME})`, kind: 'macro', words: ['#define', '#'] },
  { pattern: `typedef\\s[^;{]*?\\(\\s*\\*\\s*(${NAME})\\s*\\)\\s*\\(`, kind: 'type', words: ['typedef'] },
  {
    pattern: `typedef\\s[^;{]*${STARTS}(${NAME})\\s*(?:\\[[^\\][]*\\]\\s*)*;`,
    kind: 'type',
    words: ['typedef'],
  },
  {
    pattern: `(?:typedef\\s+|static\\s+|const\\s+)*(?:struct|union)\\s+${EXPORT}(${NAME})\\s*(?:final\\s*)?(?:\\{|:[^:]|$)`,
    kind: 'struct',
    words: ['typedef', 'static', 'const', 'struct', 'union'],
    opens: 'class',
  },
  {
    pattern: `(?:typedef\\s+)?enum\\s+(?:class\\s+|struct\\s+)?(${NAME})\\s*(?:\\{|:[^:]|$)`,
    kind: 'enum',
    words: ['typedef', 'enum'],
  },
  { pattern: `\\}\\s*(${NAME})\\s*;`, kind: 'type', words: ['}'], place: 'top' },
];
const topFunction: LineRule = {
  pattern: `${STATEMENT}${RETURNS}(?:[\\w<>]+::)*(~?(?![A-Z0-9_]+\\s*\\([^)]*\\)\\s*$)${NAME})\\s*${DEFINED}`,
  kind: 'function',
  place: 'top',
};

export const c: LanguageRules = { blocks: SLASH_STAR, rules: [...shared, topFunction] };

const inlineMethod: LineRule = {
  pattern: `${STATEMENT}${RETURNS}(~?${NAME})\\s*\\([^;]*\\{`,
  kind: 'method',
};

export const cpp: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    ...shared,
    {
      pattern: `(?:template\\s*<[^>]*>\\s*)?class\\s+${EXPORT}(${NAME})(?:<[^>]*>)?\\s*(?:final\\s*)?(?:\\{|:[^:]|$)`,
      kind: 'class',
      words: ['class', 'template'],
      opens: 'class',
    },
    {
      pattern: `(?:inline\\s+)?namespace\\s+([\\w:]+)\\s*(?:\\{|$)`,
      kind: 'module',
      words: ['namespace', 'inline'],
      opens: 'namespace',
    },
    { pattern: `using\\s+(${NAME})\\s*=`, kind: 'type', words: ['using'] },
    topFunction,
  ],
  members: { class: [inlineMethod], namespace: [{ ...inlineMethod, kind: 'function' }] },
};

const CSHARP_WORDS = wordsOf(
  'public private protected internal static abstract sealed partial readonly override virtual async extern unsafe new ref file required',
);
const CSHARP = anyOf(CSHARP_WORDS);
const CSHARP_TYPE = '(?:[\\w.<>,?\\[\\]()]+\\s+)';
const NO_STATEMENT =
  '(?!(?:if|for|foreach|while|switch|return|else|do|case|using|throw|lock|await|base|get|set)\\b)';

export const csharp: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${CSHARP}(?:class|record(?:\\s+(?:class|struct))?)\\s+(${NAME})`,
      kind: 'class',
      words: [...CSHARP_WORDS, 'class', 'record'],
      opens: 'class',
    },
    {
      pattern: `${CSHARP}struct\\s+(${NAME})`,
      kind: 'struct',
      words: [...CSHARP_WORDS, 'struct'],
      opens: 'class',
    },
    {
      pattern: `${CSHARP}interface\\s+(${NAME})`,
      kind: 'interface',
      words: [...CSHARP_WORDS, 'interface'],
      opens: 'class',
    },
    { pattern: `${CSHARP}enum\\s+(${NAME})`, kind: 'enum', words: [...CSHARP_WORDS, 'enum'] },
    {
      pattern: `${CSHARP}delegate\\s+${CSHARP_TYPE}(${NAME})`,
      kind: 'type',
      words: [...CSHARP_WORDS, 'delegate'],
    },
    { pattern: '(?:namespace)\\s+([\\w.]+)', kind: 'module', words: ['namespace'] },
  ],
  members: {
    class: [
      { pattern: `${NO_STATEMENT}${CSHARP_TYPE}*(${NAME})\\s*(?:<[^>]*>)?\\(`, kind: 'method' },
      { pattern: `${CSHARP}const\\s+${CSHARP_TYPE}(${NAME})\\s*=`, kind: 'constant' },
      { pattern: `${NO_STATEMENT}${CSHARP_TYPE}+(${NAME})\\s*(?:=|;|\\{|$)`, kind: 'field' },
    ],
  },
};
