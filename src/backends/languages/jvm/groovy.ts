import type { LineLanguage } from '../language.ts';
import { matched, quoted, raw, slashes, tripleQuotes } from '../lexical/lexical-rule.ts';
import { anyOf, namePattern, rule } from '../lines/line-rule.ts';
import { dollarHoles } from './java.ts';

const javaWords =
  'public protected private static final abstract synchronized native default sealed non-sealed strictfp transient volatile';
const modifiers = `(?:@\\w+\\s+)*${anyOf(javaWords.split(' '))}`;
const notStatement =
  '(?!(?:if|for|while|switch|return|catch|super|throw|new|else|do|case|try|assert|yield|this)\\b)';
/** The words of a type with its type arguments, each followed by a space. */
const typePattern = '(?:[\\w.$<>,?&\\[\\]@]+\\s+)';

const javaMembers = [
  rule('method', `${notStatement}${typePattern}*(${namePattern})\\s*\\(`),
  rule(
    'constant',
    `${modifiers}(?:static\\s+final|final\\s+static)\\s+${typePattern}+(${namePattern})\\s*(?:=|;|$)`,
  ),
  rule('field', `${notStatement}(?!package\\b|import\\b)${typePattern}+(${namePattern})\\s*(?:=|;|,|$)`),
];
const enumConstant = rule('constant', '([A-Z][A-Z0-9_]*)\\s*(?:[(,;{]|$)');

const lexical = [
  ...slashes,
  raw('"""', '"""', { escape: '\\', ...dollarHoles }),
  tripleQuotes[1],
  quoted('"', dollarHoles),
  quoted("'"),
  matched('string', '/', /\/(?:[^/\\\r\n]|\\.){1,1000}\//y, { value: true }),
];

export const groovy: LineLanguage = {
  name: 'Groovy',
  endings: 'groovy gvy',
  lexical,
  filesAreClasses: true,
  fileNames: 'jenkinsfile',
  interpreters: 'groovy',
  annotations: true,
  lines: [
    rule('class', `${modifiers}(?:class|record)\\s+(${namePattern})`, { opens: javaMembers }),
    rule('interface', `${modifiers}@?interface\\s+(${namePattern})`, { opens: javaMembers }),
    rule('enum', `${modifiers}enum\\s+(${namePattern})`, { opens: [enumConstant, ...javaMembers] }),
    rule('function', `${modifiers}def\\s+(${namePattern})\\s*\\(`, { inside: 'method' }),
  ],
};

export const gradle: LineLanguage = {
  name: 'Gradle',
  endings: 'gradle',
  lexical,
  annotations: true,
  lines: [...groovy.lines, rule('function', `task\\s+(${namePattern})`)],
};
