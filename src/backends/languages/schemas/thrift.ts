import type { LineLanguage } from '../language.ts';
import { cLike, hash } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

export const thrift: LineLanguage = {
  name: 'Thrift',
  endings: 'thrift',
  lexical: [...hash, ...cLike],
  lines: [
    rule('struct', `(?:struct|union|exception)\\s+(${namePattern})`),
    rule('enum', `enum\\s+(${namePattern})`),
    rule('interface', `service\\s+(${namePattern})`),
    rule('type', `typedef\\s+\\S+\\s+(${namePattern})`),
    rule('constant', `const\\s+\\S+\\s+(${namePattern})\\s*=`),
  ],
};
