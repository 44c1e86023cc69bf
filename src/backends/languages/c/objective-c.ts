import type { LineLanguage } from '../language.ts';
import { type LineRule, namePattern, slashStar } from '../lines/line-rule.ts';
import { cLexical, cUses } from './c.ts';

const notStatement =
  '(?!(?:if|for|while|switch|return|else|do|case|goto|throw|delete|new|using|noexcept|typedef|extern\\s+"C")\\b)';
/** A return type: words, each followed by blanks, and then its stars. */
const returnType = '(?:[\\w:<>,~&*\\[\\]]+\\s+)*[*&]*';
/** A macro before the name, as in `class API_EXPORT Lease`. A word before `final` is the name itself. */
const exportMacro = '(?:[A-Z_]+\\s+(?!final\\b))?';
/** The parameters of a definition. A prototype does not match, because its line ends with a semicolon. */
const definitionParameters = '\\([^;]*$';

/** The start of a name: no character of a name precedes it. `\\b` would also match in the middle of `größe`. */
const nameStart = '(?<![\\w$\\u0080-\\uffff])';

const shared: readonly LineRule[] = [
  { pattern: `#\\s*define\\s+(${namePattern})`, kind: 'macro' },
  { pattern: `typedef\\s[^;{]*?\\(\\s*\\*\\s*(${namePattern})\\s*\\)\\s*\\(`, kind: 'type' },
  { pattern: `typedef\\s[^;{]*${nameStart}(${namePattern})\\s*(?:\\[[^\\][]*\\]\\s*)*;`, kind: 'type' },
  {
    pattern: `(?:typedef\\s+|static\\s+|const\\s+)*(?:struct|union)\\s+${exportMacro}(${namePattern})\\s*(?:final\\s*)?(?:\\{|:[^:]|$)`,
    kind: 'struct',
    opens: 'class',
  },
  {
    pattern: `(?:typedef\\s+)?enum\\s+(?:class\\s+|struct\\s+)?(${namePattern})\\s*(?:\\{|:[^:]|$)`,
    kind: 'enum',
  },
  { pattern: `\\}\\s*(${namePattern})\\s*;`, kind: 'type', place: 'top' },
];
const topFunction: LineRule = {
  pattern: `${notStatement}${returnType}(?:[\\w<>]+::)*(~?(?![A-Z0-9_]+\\s*\\([^)]*\\)\\s*$)${namePattern})\\s*${definitionParameters}`,
  kind: 'function',
  place: 'top',
};

export const objectiveC: LineLanguage = {
  name: 'Objective-C',
  aliases: 'objc objective-c',
  endings: 'm',
  lexical: cLexical,
  uses: cUses,
  lines: {
    blocks: slashStar,
    rules: [
      { pattern: `@(?:interface|implementation)\\s+(${namePattern})`, kind: 'class' },
      { pattern: `@protocol\\s+(${namePattern})\\s*(?:<[^>]*>)?\\s*$`, kind: 'interface' },
      { pattern: `[-+]\\s*\\([^)]*\\)\\s*(${namePattern})(?:[^;{]*\\{|[^;]*$)`, kind: 'method' },
      ...shared,
      topFunction,
    ],
  },
};
