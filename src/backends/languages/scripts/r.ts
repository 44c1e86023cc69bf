import type { LineLanguage } from '../language.ts';
import { backtickName, hash, longQuotes } from '../lexical/lexical-rule.ts';
import { rule } from '../lines/line-rule.ts';

export const r: LineLanguage = {
  name: 'R',
  endings: 'r rmd',
  lexical: [...hash, ...longQuotes, backtickName],
  uses: { writeAfter: /^\s*<<?-/ },
  interpreters: 'rscript r littler',
  lines: [rule('function', '([\\w.]+)\\s*(?:<-|=)\\s*function\\b')],
};
