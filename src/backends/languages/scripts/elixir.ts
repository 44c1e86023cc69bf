import type { LineLanguage } from '../language.ts';
import { hash, matched, raw } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

const inStrings = { escape: '\\', hole: '#{' } as const;

export const elixir: LineLanguage = {
  name: 'Elixir',
  endings: 'ex exs',
  lexical: [
    ...hash,
    raw(/~[a-z]("""|'''|[/|"'([{<])/y, '$1', { first: '~', ...inStrings }),
    raw(/~[A-Z]{1,20}("""|'''|[/|"'([{<])/y, '$1', { first: '~' }),
    raw(/("""|''')/y, '$1', { first: '"\'', ...inStrings }),
    raw(/(["'])/y, '$1', { first: '"\'', ...inStrings }),
    matched('string', '?', /(?<!\w)\?(?:\\.|["'#])/y),
  ],
  interpreters: 'elixir',
  lines: [
    rule('function', `def(?:p|guard|guardp|delegate)?\\s+(${namePattern}[?!]?)`),
    rule('macro', `defmacrop?\\s+(${namePattern}[?!]?)`),
    rule('module', `def(?:module|protocol)\\s+(?:[A-Z]\\w*\\.)*([A-Z]\\w*)`),
    rule('type', `@type(?:p)?\\s+(${namePattern})`),
  ],
};
