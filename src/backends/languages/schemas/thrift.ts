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
      {
        pattern: `(?:struct|union|exception)\\s+(${namePattern})`,
        kind: 'struct',
        words: ['struct', 'union', 'exception'],
      },
      { pattern: `enum\\s+(${namePattern})`, kind: 'enum', words: ['enum'] },
      { pattern: `service\\s+(${namePattern})`, kind: 'interface', words: ['service'] },
      { pattern: `typedef\\s+\\S+\\s+(${namePattern})`, kind: 'type', words: ['typedef'] },
      { pattern: `const\\s+\\S+\\s+(${namePattern})\\s*=`, kind: 'constant', words: ['const'] },
    ],
  },
};
