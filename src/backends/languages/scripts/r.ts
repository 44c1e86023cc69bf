import type { LineLanguage } from '../language.ts';

export const r: LineLanguage = {
  name: 'R',
  endings: 'r rmd',
  interpreters: 'rscript r littler',
  lines: {
    rules: [{ pattern: `([\\w.]+)\\s*(?:<-|=)\\s*function\\b`, kind: 'function' }],
  },
};
