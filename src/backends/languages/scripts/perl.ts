import type { LineLanguage } from '../language.ts';
import { block, heredoc, line, longQuotes, matched, raw, variableName } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

export const perl: LineLanguage = {
  name: 'Perl',
  endings: 'pl pm t',
  lexical: [
    block(/^=[a-z]/my, '\n=cut', { first: '=' }),
    block(/^__(?:END|DATA)__$/my, '\0', { first: '_' }),
    matched('code', '$', /\$["'`#/%&;]/y),
    line('#'),
    heredoc(/<<~?(["']?)([A-Z_]\w{0,100})\1/y, { names: variableName }),
    raw(/(?<![\w$@%&>{-])(?:m|q[qrwx]?)\s?([({[<|!/])/y, '$1', { first: 'mq', escape: '\\' }),
    matched(
      'string',
      'sty',
      /(?<![\w$@%&>{-])(?:s|tr|y)([/|!])(?:\\.|(?!\1)[^\\\r\n]){0,500}\1(?:\\.|(?!\1)[^\\\r\n]){0,500}\1/y,
    ),
    // The operator for a value that is not defined.
    matched('code', '/', /\/\//y),
    matched('string', '/', /\/(?:[^/\\\r\n]|\\.){1,1000}\//y, { value: true }),
    ...longQuotes,
  ],
  interpreters: 'perl',
  lines: [
    rule('function', `sub\\s+(?:(?<owner>[\\w:]+)::)?(?<name>${namePattern})`),
    rule('module', `package\\s+([\\w:]+)`),
    rule('constant', `use\\s+constant\\s+(${namePattern})`),
  ],
};
