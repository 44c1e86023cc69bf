import type { LineLanguage } from '../language.ts';
import { line, quotes, slashLine } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

export const zig: LineLanguage = {
  name: 'Zig',
  endings: 'zig zon',
  lexical: [slashLine, line('\\\\', { kind: 'string' }), ...quotes],
  lines: [
    rule('function', `(?:pub\\s+)?(?:export\\s+|extern\\s+|inline\\s+)*fn\\s+(${namePattern})`),
    rule(
      'struct',
      `(?:pub\\s+)?const\\s+(${namePattern})\\s*=\\s*(?:extern\\s+|packed\\s+)?(?:struct|union)\\b`,
    ),
    rule('enum', `(?:pub\\s+)?const\\s+(${namePattern})\\s*=\\s*enum\\b`),
    rule('constant', `(?:pub\\s+)?(?:const|var)\\s+(${namePattern})\\s*[:=]`, { place: 'top' }),
  ],
};
