import type { LineLanguage } from '../language.ts';
import { importing } from '../lexical/use-rules.ts';
import { namePattern, rule } from '../lines/line-rule.ts';
import { pythonLexical } from './python.ts';

const value = '\\s*(?::[^=]+)?=(?!=)';

const fields = [
  rule('field', `(${namePattern})${value}`),
  rule('field', `([a-z_]\\w*)\\s*:\\s*[\\w.\\[\\], |"']+(?:#.*)?$`),
];

export const cython: LineLanguage = {
  name: 'Cython',
  endings: 'pyx pxd pxi',
  lexical: pythonLexical,
  uses: importing('c?import|from'),
  lines: [
    rule('function', `(?:async\\s+)?def\\s+(${namePattern})\\s*[(\\[]`, { inside: 'method' }),
    rule(
      'function',
      `(?:cdef|cpdef)\\s+(?!class\\b|extern\\b)(?:[\\w.*[\\], ]{1,100}[ *])?(${namePattern})\\(.*:`,
      { inside: 'method' },
    ),
    rule(
      'struct',
      `(?:cdef|ctypedef)\\s+(?:public\\s+|packed\\s+)?(?:struct|union)\\s+(${namePattern})\\s*:`,
    ),
    rule('enum', `(?:cdef|cpdef|ctypedef)\\s+enum\\s+(${namePattern})\\s*:`),
    rule('class', `(?:cdef\\s+)?class\\s+(${namePattern})\\s*[(:\\[]`, { opens: fields }),
    rule('type', `type\\s+(${namePattern})\\s*(?:\\[[^\\]]*\\]\\s*)?=`, { place: 'top' }),
    rule('constant', `([A-Z_][A-Z0-9_]*)${value}`, { place: 'top' }),
    rule('variable', `(${namePattern})${value}`, { place: 'top' }),
  ],
};
