import type { LineLanguage } from '../language.ts';
import { namePattern } from '../lines/line-rule.ts';

export const powershell: LineLanguage = {
  name: 'PowerShell',
  endings: 'ps1 psm1 psd1',
  interpreters: 'pwsh powershell',
  lines: {
    blocks: [{ open: '<#', close: '#>' }],
    rules: [
      {
        pattern: `(?:function|filter)\\s+(?:\\w+:)?([\\w-]+)`,
        kind: 'function',
        words: ['function', 'Function', 'filter'],
      },
      { pattern: `[fF]unction\\s+(?:\\w+:)?([\\w-]+)`, kind: 'function', words: ['Function'] },
      { pattern: `class\\s+(${namePattern})`, kind: 'class', words: ['class'] },
      { pattern: `enum\\s+(${namePattern})`, kind: 'enum', words: ['enum'] },
    ],
  },
};
