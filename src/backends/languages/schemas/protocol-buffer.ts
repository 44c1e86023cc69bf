import type { LineLanguage } from '../language.ts';
import { cLike } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

export const protocolBuffer: LineLanguage = {
  name: 'Protocol Buffer',
  aliases: 'protocol-buffers',
  endings: 'proto',
  lexical: cLike,
  lines: [
    rule('struct', `message\\s+(${namePattern})\\s*(?:\\{|$)`),
    rule('enum', `enum\\s+(${namePattern})\\s*(?:\\{|$)`),
    rule('interface', `service\\s+(${namePattern})`),
    rule('method', `rpc\\s+(${namePattern})\\s*\\(?`),
  ],
};
