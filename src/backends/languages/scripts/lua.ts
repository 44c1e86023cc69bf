import type { LineLanguage } from '../language.ts';
import { block, line, quotes, raw } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

export const lua: LineLanguage = {
  name: 'Lua',
  endings: 'lua luau rockspec',
  lexical: [
    block(/--\[(={0,20})\[/y, ']$1]', { first: '-' }),
    line('--'),
    raw(/\[(={0,20})\[/y, ']$1]', { first: '[' }),
    ...quotes,
  ],
  interpreters: 'lua luajit',
  lines: [
    rule('function', `(?:local\\s+)?function\\s+(?:(?<owner>[\\w.]+)[.:])?(?<name>${namePattern})`),
    rule('function', `(?:local\\s+)?(?:(?<owner>[\\w.]+)\\.)?(?<name>${namePattern})\\s*=\\s*function\\b`),
    rule('variable', `local\\s+(${namePattern})\\s*(?:<\\w+>\\s*)?=`, { place: 'top' }),
  ],
};
