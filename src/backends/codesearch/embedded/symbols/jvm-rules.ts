import { anyOf, type LanguageRules, type LineRule, NAME, SLASH_STAR, wordsOf } from './line-rule.ts';

const JAVA_WORDS = wordsOf(
  'public protected private static final abstract synchronized native default sealed non-sealed strictfp transient volatile',
);
const MODIFIERS = `(?:@\\w+\\s+)*${anyOf(JAVA_WORDS)}`;
const STATEMENT =
  '(?!(?:if|for|while|switch|return|catch|super|throw|new|else|do|case|try|assert|yield|this)\\b)';
/** Words of a type with its arguments, each followed by a space. */
const TYPE = '(?:[\\w.$<>,?&\\[\\]@]+\\s+)';

const javaMembers: readonly LineRule[] = [
  { pattern: `${STATEMENT}${TYPE}*(${NAME})\\s*\\(`, kind: 'method' },
  {
    pattern: `${MODIFIERS}(?:static\\s+final|final\\s+static)\\s+${TYPE}+(${NAME})\\s*(?:=|;|$)`,
    kind: 'constant',
  },
  { pattern: `${STATEMENT}(?!package\\b|import\\b)${TYPE}+(${NAME})\\s*(?:=|;|,|$)`, kind: 'field' },
];
const enumConstant: LineRule = { pattern: '([A-Z][A-Z0-9_]*)\\s*(?:[(,;{]|$)', kind: 'constant' };

const javaTypes = (words: readonly string[]): LineRule[] => [
  {
    pattern: `${MODIFIERS}(?:class|record)\\s+(${NAME})`,
    kind: 'class',
    words: [...words, 'class', 'record'],
    opens: 'class',
  },
  {
    pattern: `${MODIFIERS}@?interface\\s+(${NAME})`,
    kind: 'interface',
    words: [...words, 'interface', '@interface'],
    opens: 'class',
  },
  { pattern: `${MODIFIERS}enum\\s+(${NAME})`, kind: 'enum', words: [...words, 'enum'], opens: 'enum' },
];

export const java: LanguageRules = {
  blocks: SLASH_STAR,
  rules: javaTypes(JAVA_WORDS),
  members: { class: javaMembers, enum: [enumConstant, ...javaMembers] },
};

export const groovy: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    ...javaTypes([...JAVA_WORDS, 'trait']),
    {
      pattern: `${MODIFIERS}def\\s+(${NAME})\\s*\\(`,
      kind: 'function',
      inside: 'method',
      words: [...JAVA_WORDS, 'def'],
    },
  ],
  members: { class: javaMembers, enum: [enumConstant, ...javaMembers] },
};

const KOTLIN_WORDS = wordsOf(
  'public private protected internal open abstract final sealed data inner override suspend inline infix operator tailrec external expect actual const lateinit annotation enum value companion fun',
);
const KOTLIN = anyOf(KOTLIN_WORDS);

export const kotlin: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${KOTLIN}interface\\s+(${NAME})`,
      kind: 'interface',
      words: [...KOTLIN_WORDS, 'interface'],
      opens: 'class',
    },
    {
      pattern: `${anyOf(KOTLIN_WORDS.slice(0, -1))}fun\\s+(?:<[^>]*>\\s*)?(?:[\\w<>?, ]+\\.)*(${NAME})\\s*\\(`,
      kind: 'function',
      inside: 'method',
      words: KOTLIN_WORDS,
    },
    { pattern: `${KOTLIN}enum\\s+class\\s+(${NAME})`, kind: 'enum', words: KOTLIN_WORDS, opens: 'class' },
    {
      pattern: `${KOTLIN}class\\s+(${NAME})`,
      kind: 'class',
      words: [...KOTLIN_WORDS, 'class'],
      opens: 'class',
    },
    {
      pattern: `${KOTLIN}object\\s+(${NAME})`,
      kind: 'module',
      words: [...KOTLIN_WORDS, 'object'],
      opens: 'class',
    },
    { pattern: 'companion\\s+object\\b', kind: 'module', words: ['companion'], opens: 'class' },
    { pattern: `${KOTLIN}typealias\\s+(${NAME})`, kind: 'type', words: [...KOTLIN_WORDS, 'typealias'] },
    { pattern: `${KOTLIN}const\\s+val\\s+(${NAME})`, kind: 'constant', words: KOTLIN_WORDS },
    {
      pattern: `${KOTLIN}va[lr]\\s+(?:<[^>]*>\\s*)?(?:[\\w<>?]+\\.)?(${NAME})`,
      kind: 'variable',
      inside: 'field',
      words: [...KOTLIN_WORDS, 'val', 'var'],
      place: 'outer',
    },
  ],
};

const SCALA_WORDS = wordsOf(
  'private protected override abstract final sealed implicit lazy case inline open transparent opaque',
);
const SCALA = `(?:(?:${SCALA_WORDS.join('|')})(?:\\[[^\\]]*\\])?\\s+)*`;

export const scala: LanguageRules = {
  blocks: SLASH_STAR,
  rules: [
    {
      pattern: `${SCALA}def\\s+(${NAME})`,
      kind: 'function',
      inside: 'method',
      words: [...SCALA_WORDS, 'def'],
    },
    {
      pattern: `${SCALA}class\\s+(${NAME})`,
      kind: 'class',
      words: [...SCALA_WORDS, 'class'],
      opens: 'class',
    },
    {
      pattern: `${SCALA}trait\\s+(${NAME})`,
      kind: 'interface',
      words: [...SCALA_WORDS, 'trait'],
      opens: 'class',
    },
    { pattern: `${SCALA}enum\\s+(${NAME})`, kind: 'enum', words: [...SCALA_WORDS, 'enum'], opens: 'class' },
    {
      pattern: `${SCALA}(?:package\\s+)?object\\s+(${NAME})`,
      kind: 'module',
      words: [...SCALA_WORDS, 'package', 'object'],
      opens: 'class',
    },
    { pattern: `${SCALA}type\\s+(${NAME})`, kind: 'type', words: [...SCALA_WORDS, 'type'], place: 'outer' },
    {
      pattern: `${SCALA}va[lr]\\s+(${NAME})\\s*[:=]`,
      kind: 'variable',
      inside: 'field',
      words: [...SCALA_WORDS, 'val', 'var'],
      place: 'outer',
    },
  ],
};
