import { anyOf, type LanguageRules, type LineRule, namePattern, slashStar, wordsOf } from './line-rule.ts';

const javaWords = wordsOf(
  'public protected private static final abstract synchronized native default sealed non-sealed strictfp transient volatile',
);
const modifiers = `(?:@\\w+\\s+)*${anyOf(javaWords)}`;
const notStatement =
  '(?!(?:if|for|while|switch|return|catch|super|throw|new|else|do|case|try|assert|yield|this)\\b)';
/** The words of a type with its type arguments, each followed by a space. */
const typePattern = '(?:[\\w.$<>,?&\\[\\]@]+\\s+)';

const javaMembers: readonly LineRule[] = [
  { pattern: `${notStatement}${typePattern}*(${namePattern})\\s*\\(`, kind: 'method' },
  {
    pattern: `${modifiers}(?:static\\s+final|final\\s+static)\\s+${typePattern}+(${namePattern})\\s*(?:=|;|$)`,
    kind: 'constant',
  },
  {
    pattern: `${notStatement}(?!package\\b|import\\b)${typePattern}+(${namePattern})\\s*(?:=|;|,|$)`,
    kind: 'field',
  },
];
const enumConstant: LineRule = { pattern: '([A-Z][A-Z0-9_]*)\\s*(?:[(,;{]|$)', kind: 'constant' };

const javaTypes = (words: readonly string[]): LineRule[] => [
  {
    pattern: `${modifiers}(?:class|record)\\s+(${namePattern})`,
    kind: 'class',
    words: [...words, 'class', 'record'],
    opens: 'class',
  },
  {
    pattern: `${modifiers}@?interface\\s+(${namePattern})`,
    kind: 'interface',
    words: [...words, 'interface', '@interface'],
    opens: 'class',
  },
  { pattern: `${modifiers}enum\\s+(${namePattern})`, kind: 'enum', words: [...words, 'enum'], opens: 'enum' },
];

export const java: LanguageRules = {
  blocks: slashStar,
  rules: javaTypes(javaWords),
  members: { class: javaMembers, enum: [enumConstant, ...javaMembers] },
};

export const groovy: LanguageRules = {
  blocks: slashStar,
  rules: [
    ...javaTypes([...javaWords, 'trait']),
    {
      pattern: `${modifiers}def\\s+(${namePattern})\\s*\\(`,
      kind: 'function',
      inside: 'method',
      words: [...javaWords, 'def'],
    },
  ],
  members: { class: javaMembers, enum: [enumConstant, ...javaMembers] },
};

const kotlinWords = wordsOf(
  'public private protected internal open abstract final sealed data inner override suspend inline infix operator tailrec external expect actual const lateinit annotation enum value companion fun',
);
const kotlinModifiers = anyOf(kotlinWords);

export const kotlin: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `${kotlinModifiers}interface\\s+(${namePattern})`,
      kind: 'interface',
      words: [...kotlinWords, 'interface'],
      opens: 'class',
    },
    {
      pattern: `${anyOf(kotlinWords.slice(0, -1))}fun\\s+(?:<[^>]*>\\s*)?(?:[\\w<>?, ]+\\.)*(${namePattern})\\s*\\(`,
      kind: 'function',
      inside: 'method',
      words: kotlinWords,
    },
    {
      pattern: `${kotlinModifiers}enum\\s+class\\s+(${namePattern})`,
      kind: 'enum',
      words: kotlinWords,
      opens: 'class',
    },
    {
      pattern: `${kotlinModifiers}class\\s+(${namePattern})`,
      kind: 'class',
      words: [...kotlinWords, 'class'],
      opens: 'class',
    },
    {
      pattern: `${kotlinModifiers}object\\s+(${namePattern})`,
      kind: 'module',
      words: [...kotlinWords, 'object'],
      opens: 'class',
    },
    { pattern: 'companion\\s+object\\b', kind: 'module', words: ['companion'], opens: 'class' },
    {
      pattern: `${kotlinModifiers}typealias\\s+(${namePattern})`,
      kind: 'type',
      words: [...kotlinWords, 'typealias'],
    },
    { pattern: `${kotlinModifiers}const\\s+val\\s+(${namePattern})`, kind: 'constant', words: kotlinWords },
    {
      pattern: `${kotlinModifiers}va[lr]\\s+(?:<[^>]*>\\s*)?(?:[\\w<>?]+\\.)?(${namePattern})`,
      kind: 'variable',
      inside: 'field',
      words: [...kotlinWords, 'val', 'var'],
      place: 'outer',
    },
  ],
};

const scalaWords = wordsOf(
  'private protected override abstract final sealed implicit lazy case inline open transparent opaque',
);
const scalaModifiers = `(?:(?:${scalaWords.join('|')})(?:\\[[^\\]]*\\])?\\s+)*`;

export const scala: LanguageRules = {
  blocks: slashStar,
  rules: [
    {
      pattern: `${scalaModifiers}def\\s+(${namePattern})`,
      kind: 'function',
      inside: 'method',
      words: [...scalaWords, 'def'],
    },
    {
      pattern: `${scalaModifiers}class\\s+(${namePattern})`,
      kind: 'class',
      words: [...scalaWords, 'class'],
      opens: 'class',
    },
    {
      pattern: `${scalaModifiers}trait\\s+(${namePattern})`,
      kind: 'interface',
      words: [...scalaWords, 'trait'],
      opens: 'class',
    },
    {
      pattern: `${scalaModifiers}enum\\s+(${namePattern})`,
      kind: 'enum',
      words: [...scalaWords, 'enum'],
      opens: 'class',
    },
    {
      pattern: `${scalaModifiers}(?:package\\s+)?object\\s+(${namePattern})`,
      kind: 'module',
      words: [...scalaWords, 'package', 'object'],
      opens: 'class',
    },
    {
      pattern: `${scalaModifiers}type\\s+(${namePattern})`,
      kind: 'type',
      words: [...scalaWords, 'type'],
      place: 'outer',
    },
    {
      pattern: `${scalaModifiers}va[lr]\\s+(${namePattern})\\s*[:=]`,
      kind: 'variable',
      inside: 'field',
      words: [...scalaWords, 'val', 'var'],
      place: 'outer',
    },
  ],
};
