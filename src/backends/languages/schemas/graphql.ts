import type { LineLanguage } from '../language.ts';
import { hash, quoted, tripleQuotes } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

export const graphql: LineLanguage = {
  name: 'GraphQL',
  endings: 'graphql gql graphqls',
  lexical: [...hash, tripleQuotes[0], quoted('"')],
  lines: [
    rule('struct', `(?:type|input)\\s+(${namePattern})`),
    rule('interface', `interface\\s+(${namePattern})`),
    rule('type', `(?:union|scalar)\\s+(${namePattern})`),
    rule('enum', `enum\\s+(${namePattern})`),
    rule('function', `(?:query|mutation|subscription|fragment)\\s+(${namePattern})`),
  ],
};
