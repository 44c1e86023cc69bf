import type { LineLanguage } from '../language.ts';
import { cLike, hash } from '../lexical/lexical-rule.ts';
import { namePattern, slashStar } from '../lines/line-rule.ts';

export const thrift: LineLanguage = {
  name: 'Thrift',
  endings: 'thrift',
  lexical: [...hash, ...cLike],
  lines: {
    blocks: slashStar,
    rules: [
      { pattern: `(?:struct|union|exception)\\s+(${namePattern})`, kind: 'struct' },
      { pattern: `enum\\s+(${namePattern})`, kind: 'enum' },
      { pattern: `service\\s+(${namePattern})`, kind: 'interface' },
      { pattern: `typedef\\s+\\S+\\s+(${namePattern})`, kind: 'type' },
      { pattern: `const\\s+\\S+\\s+(${namePattern})\\s*=`, kind: 'constant' },
    ],
  },
};
