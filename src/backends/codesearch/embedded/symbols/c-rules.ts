import { anyOf, type LanguageRules, type LineRule, namePattern, slashStar, wordsOf } from './line-rule.ts';

const notStatement =
  '(?!(?:if|for|while|switch|return|else|do|case|goto|throw|delete|new|using|noexcept|typedef|extern\\s+"C")\\b)';
/** A return type: words, each followed by blanks, and then its stars. */
const returnType = '(?:[\\w:<>,~&*\\[\\]]+\\s+)*[*&]*';
/** A macro before the name, as in `class API_EXPORT Lease`. A word before `final` is the name itself. */
const exportMacro = '(?:[A-Z_]+\\s+(?!final\\b))?';
/** The parameters of a definition. A prototype does not match, because its line ends with a semicolon. */
const definitionParameters = '\\([^;]*$';

/** The start of a name: no character of a name precedes it. `\\b` would also match in the middle of `größe`. */
const nameStart = '(?<![\\w$\\x80-\\xff])';

const shared: readonly LineRule[] = [
  { pattern: `#\\s*define\\s+(${namePattern})`, kind: 'macro', words: ['#define', '#'] },
  {
    pattern: `typedef\\s[^;{]*?\\(\\s*\\*\\s*(${namePattern})\\s*\\)\\s*\\(`,
    kind: 'type',
    words: ['typedef'],
  },
  {
    pattern: `typedef\\s[^;{]*${nameStart}(${namePattern})\\s*(?:\\[[^\\][]*\\]\\s*)*;`,
    kind: 'type',
    words: ['typedef'],
  },
  {
    pattern: `(?:typedef\\s+|static\\s+|const\\s+)*(?:struct|union)\\s+${exportMacro}(${namePattern})\\s*(?:final\\s*)?(?:\\{|:[^:]|$)`,
    kind: 'struct',
    words: ['typedef', 'static', 'const', 'struct', 'union'],
    opens: 'class',
  },
  {
    pattern: `(?:typedef\\s+)?enum\\s+(?:class\\s+|struct\\s+)?(${namePattern})\\s*(?:\\{|:[^:]|$)`,
    kind: 'enum',
    words: ['typedef', 'enum'],
  },
  { pattern: `\\}\\s*(${namePattern})\\s*;`, kind: 'type', words: ['}'], place: 'top' },
];
const topFunction: LineRule = {
  pattern: `${notStatement}${returnType}(?:[\\w<>]+::)*(~?(?![A-Z0-9_]+\\s*\\([^)]*\\)\\s*$)${namePattern})\\s*${definitionParameters}`,
  kind: 'function',
  place: 'top',
};

export const c: LanguageRules = { blocks: slashStar, rules: [...shared, topFunction] };

const inlineMethod: LineRule = {
  pattern: `${notStatement}${returnType}(~?${namePattern})\\s*\\([^;]*\\{`,
  kind: 'method',
};

export const cpp: LanguageRules = {
  blocks: slashStar,
  rules: [
    ...shared,
    {
      pattern: `(?:template\\s*<[^>]*>\\s*)?class\\s+${exportMacro}(${namePattern})(?:<[^>]*>)?\\s*(?:final\\s*)?(?:\\{|:[^:]|$)`,
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
    { pattern: `using\\s+(${namePattern})\\s*=`, kind: 'type', words: ['using'] },
    topFunction,
  ],
  members: { class: [inlineMethod], namespace: [{ ...inlineMethod, kind: 'function' }] },
};

const csharpWords = wordsOf(
  'public private protected internal static abstract sealed partial readonly override virtual async extern unsafe new ref file required',
);
const csharpModifiers = anyOf(csharpWords);
const csharpType = '(?:[\\w.<>,?\\[\\]()]+\\s+)';
const notCsharpStatement =
  '(?!(?:if|for|foreach|while|switch|return|else|do|case|using|throw|lock|await|base|get|set)\\b)';

export const csharp: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `${csharpModifiers}(?:class|record(?:\\s+(?:class|struct))?)\\s+(${namePattern})`,
      kind: 'class',
      words: [...csharpWords, 'class', 'record'],
      opens: 'class',
    },
    {
      pattern: `${csharpModifiers}struct\\s+(${namePattern})`,
      kind: 'struct',
      words: [...csharpWords, 'struct'],
      opens: 'class',
    },
    {
      pattern: `${csharpModifiers}interface\\s+(${namePattern})`,
      kind: 'interface',
      words: [...csharpWords, 'interface'],
      opens: 'class',
    },
    { pattern: `${csharpModifiers}enum\\s+(${namePattern})`, kind: 'enum', words: [...csharpWords, 'enum'] },
    {
      pattern: `${csharpModifiers}delegate\\s+${csharpType}(${namePattern})`,
      kind: 'type',
      words: [...csharpWords, 'delegate'],
    },
    { pattern: '(?:namespace)\\s+([\\w.]+)', kind: 'module', words: ['namespace'] },
  ],
  members: {
    class: [
      { pattern: `${notCsharpStatement}${csharpType}*(${namePattern})\\s*(?:<[^>]*>)?\\(`, kind: 'method' },
      { pattern: `${csharpModifiers}const\\s+${csharpType}(${namePattern})\\s*=`, kind: 'constant' },
      { pattern: `${notCsharpStatement}${csharpType}+(${namePattern})\\s*(?:=|;|\\{|$)`, kind: 'field' },
    ],
  },
};
