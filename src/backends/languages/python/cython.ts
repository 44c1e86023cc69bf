import type { LineLanguage } from '../language.ts';
import { importing } from '../lexical/use-rules.ts';
import { namePattern } from '../lines/line-rule.ts';
import { pythonLexical } from './python.ts';

const value = '\\s*(?::[^=]+)?=(?!=)';

export const cython: LineLanguage = {
  name: 'Cython',
  endings: 'pyx pxd pxi',
  lexical: pythonLexical,
  uses: importing('c?import|from'),
  lines: {
    blocks: [
      { open: '"""', close: '"""' },
      { open: 'r"""', close: '"""' },
      { open: "'''", close: "'''" },
    ],
    rules: [
      { pattern: `(?:async\\s+)?def\\s+(${namePattern})\\s*[(\\[]`, kind: 'function', inside: 'method' },
      {
        pattern: `(?:cdef|cpdef)\\s+(?!class\\b|extern\\b)(?:[\\w.*[\\], ]{1,100}[ *])?(${namePattern})\\(.*:`,
        kind: 'function',
        inside: 'method',
      },
      {
        pattern: `(?:cdef|ctypedef)\\s+(?:public\\s+|packed\\s+)?(?:struct|union)\\s+(${namePattern})\\s*:`,
        kind: 'struct',
      },
      { pattern: `(?:cdef|cpdef|ctypedef)\\s+enum\\s+(${namePattern})\\s*:`, kind: 'enum' },
      { pattern: `(?:cdef\\s+)?class\\s+(${namePattern})\\s*[(:\\[]`, kind: 'class', opens: 'class' },
      { pattern: `type\\s+(${namePattern})\\s*(?:\\[[^\\]]*\\]\\s*)?=`, kind: 'type', place: 'top' },
      { pattern: `([A-Z_][A-Z0-9_]*)${value}`, kind: 'constant', place: 'top' },
      { pattern: `(${namePattern})${value}`, kind: 'variable', place: 'top' },
    ],
    members: {
      class: [
        { pattern: `(${namePattern})${value}`, kind: 'field' },
        { pattern: `([a-z_]\\w*)\\s*:\\s*[\\w.\\[\\], |"']+(?:#.*)?$`, kind: 'field' },
      ],
    },
  },
};
