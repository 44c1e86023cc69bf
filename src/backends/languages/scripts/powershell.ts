import type { LineLanguage } from '../language.ts';
import { block, line, raw, variableName } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

const inStrings = { escape: '`', hole: '$(', names: variableName } as const;

export const powershell: LineLanguage = {
  name: 'PowerShell',
  endings: 'ps1 psm1 psd1',
  lexical: [
    block('<#', '#>'),
    line(/(?<![\w`$])#/y, { first: '#' }),
    raw('@"', '\n"@', inStrings),
    raw("@'", "\n'@"),
    raw('"', '"', { ...inStrings, doubled: true }),
    raw("'", "'", { doubled: true }),
  ],
  interpreters: 'pwsh powershell',
  lines: [
    rule('function', '(?:[fF]unction|filter)\\s+(?:\\w+:)?([\\w-]+)'),
    rule('class', `class\\s+(${namePattern})`),
    rule('enum', `enum\\s+(${namePattern})`),
  ],
};
