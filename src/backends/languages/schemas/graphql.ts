import type { LineLanguage } from '../language.ts';
import { hash, quoted, tripleQuotes } from '../lexical/lexical-rule.ts';
import { namePattern } from '../lines/line-rule.ts';

export const graphql: LineLanguage = {
  name: 'GraphQL',
  endings: 'graphql gql graphqls',
  lexical: [...hash, tripleQuotes[0], quoted('"')],
  lines: {
    blocks: [{ open: '"""', close: '"""' }],
    rules: [
      { pattern: `(?:type|input)\\s+(${namePattern})`, kind: 'struct' },
      { pattern: `interface\\s+(${namePattern})`, kind: 'interface' },
      { pattern: `(?:union|scalar)\\s+(${namePattern})`, kind: 'type' },
      { pattern: `enum\\s+(${namePattern})`, kind: 'enum' },
      { pattern: `(?:query|mutation|subscription|fragment)\\s+(${namePattern})`, kind: 'function' },
    ],
  },
};
