import type { LineLanguage } from '../language.ts';
import { line, quotes, slashLine } from '../lexical/lexical-rule.ts';
import { namePattern } from '../lines/line-rule.ts';

export const zig: LineLanguage = {
  name: 'Zig',
  endings: 'zig zon',
  lexical: [slashLine, line('\\\\', { kind: 'string' }), ...quotes],
  lines: {
    rules: [
      {
        pattern: `(?:pub\\s+)?(?:export\\s+|extern\\s+|inline\\s+)*fn\\s+(${namePattern})`,
        kind: 'function',
      },
      {
        pattern: `(?:pub\\s+)?const\\s+(${namePattern})\\s*=\\s*(?:extern\\s+|packed\\s+)?(?:struct|union)\\b`,
        kind: 'struct',
      },
      { pattern: `(?:pub\\s+)?const\\s+(${namePattern})\\s*=\\s*enum\\b`, kind: 'enum' },
      { pattern: `(?:pub\\s+)?(?:const|var)\\s+(${namePattern})\\s*[:=]`, kind: 'constant', place: 'top' },
    ],
  },
};
