import type { LineLanguage } from '../language.ts';
import { namePattern, rule } from '../lines/line-rule.ts';
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

export const objectiveC: LineLanguage = {
  name: 'Objective-C',
  aliases: 'objc objective-c',
  endings: 'm',
  lexical: cLexical,
  uses: cUses,
  lines: [
    rule('class', `@(?:interface|implementation)\\s+(${namePattern})`),
    rule('interface', `@protocol\\s+(${namePattern})\\s*(?:<[^>]*>)?\\s*$`),
    rule('method', `[-+]\\s*\\([^)]*\\)\\s*(${namePattern})(?:[^;{]*\\{|[^;]*$)`),
    rule('macro', `#\\s*define\\s+(${namePattern})`),
    rule('type', `typedef\\s[^;{]*?\\(\\s*\\*\\s*(${namePattern})\\s*\\)\\s*\\(`),
    rule('type', `typedef\\s[^;{]*${nameStart}(${namePattern})\\s*(?:\\[[^\\][]*\\]\\s*)*;`),
    rule(
      'struct',
      `(?:typedef\\s+|static\\s+|const\\s+)*(?:struct|union)\\s+${exportMacro}(${namePattern})\\s*(?:final\\s*)?(?:\\{|:[^:]|$)`,
    ),
    rule('enum', `(?:typedef\\s+)?enum\\s+(?:class\\s+|struct\\s+)?(${namePattern})\\s*(?:\\{|:[^:]|$)`),
    rule('type', `\\}\\s*(${namePattern})\\s*;`, { place: 'top' }),
    rule(
      'function',
      `${notStatement}${returnType}(?:[\\w<>]+::)*(~?(?![A-Z0-9_]+\\s*\\([^)]*\\)\\s*$)${namePattern})\\s*${definitionParameters}`,
      { place: 'top' },
    ),
  ],
};
