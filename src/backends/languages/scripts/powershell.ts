import type { LineLanguage } from '../language.ts';
import { block, line, raw, variableName } from '../lexical/lexical-rule.ts';
import { namePattern } from '../lines/line-rule.ts';

const inStrings = { escape: '`', hole: '$(', names: variableName } as const;
const lexical = [
  block('<#', '#>'),
  line(/(?<![\w`$])#/y, { first: '#' }),
  raw('@"', '\n"@', inStrings),
  raw("@'", "\n'@"),
  raw('"', '"', { ...inStrings, doubled: true }),
  raw("'", "'", { doubled: true }),
];

export const powershell: LineLanguage = {
  name: 'PowerShell',
  endings: 'ps1 psm1 psd1',
  lexical: lexical,
  interpreters: 'pwsh powershell',
  lines: {
    blocks: [{ open: '<#', close: '#>' }],
    rules: [
      { pattern: '(?:[fF]unction|filter)\\s+(?:\\w+:)?([\\w-]+)', kind: 'function' },
      { pattern: `class\\s+(${namePattern})`, kind: 'class' },
      { pattern: `enum\\s+(${namePattern})`, kind: 'enum' },
    ],
  },
};
