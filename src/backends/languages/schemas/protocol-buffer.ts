import type { LineLanguage } from '../language.ts';
import { cLike } from '../lexical/lexical-rule.ts';
import { namePattern, slashStar } from '../lines/line-rule.ts';

export const protocolBuffer: LineLanguage = {
  name: 'Protocol Buffer',
  aliases: 'protocol-buffers',
  endings: 'proto',
  lexical: cLike,
  lines: {
    blocks: slashStar,
    rules: [
      { pattern: `message\\s+(${namePattern})\\s*(?:\\{|$)`, kind: 'struct' },
      { pattern: `enum\\s+(${namePattern})\\s*(?:\\{|$)`, kind: 'enum' },
      { pattern: `service\\s+(${namePattern})`, kind: 'interface' },
      { pattern: `rpc\\s+(${namePattern})\\s*\\(?`, kind: 'method' },
    ],
  },
};
