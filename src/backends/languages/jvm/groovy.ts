import { type LineLanguage, testClasses } from '../language.ts';
import { matched, quoted, raw, slashes, tripleQuotes, variableName } from '../lexical/lexical-rule.ts';
import { anyOf, type LineRule, namePattern, slashStar, wordsOf } from '../lines/line-rule.ts';

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

const javaTypes: readonly LineRule[] = [
  { pattern: `${modifiers}(?:class|record)\\s+(${namePattern})`, kind: 'class', opens: 'class' },
  { pattern: `${modifiers}@?interface\\s+(${namePattern})`, kind: 'interface', opens: 'class' },
  { pattern: `${modifiers}enum\\s+(${namePattern})`, kind: 'enum', opens: 'enum' },
];

const inStrings = { hole: '${', names: variableName } as const;
const lexical = [
  ...slashes,
  raw('"""', '"""', { escape: '\\', ...inStrings }),
  tripleQuotes[1],
  quoted('"', inStrings),
  quoted("'"),
  matched('string', '/', /\/(?:[^/\\\r\n]|\\.){1,1000}\//y, { value: true }),
];

export const groovy: LineLanguage = {
  name: 'Groovy',
  endings: 'groovy gvy',
  lexical,
  testClasses,
  fileNames: 'jenkinsfile',
  interpreters: 'groovy',
  lines: {
    annotations: true,
    blocks: slashStar,
    rules: [
      ...javaTypes,
      { pattern: `${modifiers}def\\s+(${namePattern})\\s*\\(`, kind: 'function', inside: 'method' },
    ],
    members: { class: javaMembers, enum: [enumConstant, ...javaMembers] },
  },
};

const task: LineRule = { pattern: `task\\s+(${namePattern})`, kind: 'function' };

export const gradle: LineLanguage = {
  name: 'Gradle',
  endings: 'gradle',
  lexical,
  lines: { ...groovy.lines, rules: [...groovy.lines.rules, task] },
};
