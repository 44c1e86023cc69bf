import type { LineLanguage } from '../language.ts';
import { hash, heredoc, quoted, slashes } from '../lexical/lexical-rule.ts';
import { namePattern, slashStar } from '../lines/line-rule.ts';

const label = '"([^"]+)"';

const lexical = [
  ...hash,
  ...slashes,
  quoted('"', { hole: '${' }),
  heredoc(/<<[-~]?(\w{1,100})/y, { hole: '${' }),
];

export const hcl: LineLanguage = {
  name: 'HCL',
  endings: 'hcl tf tfvars nomad',
  lexical: lexical,
  fileNames: '.terraform.lock.hcl',
  lines: {
    blocks: slashStar,
    rules: [
      {
        pattern: `(?:resource|data|ephemeral)\\s+"[^"]+"\\s+${label}`,
        kind: 'struct',
        words: ['resource', 'data', 'ephemeral'],
        place: 'top',
      },
      { pattern: `variable\\s+${label}`, kind: 'variable', words: ['variable'], place: 'top' },
      { pattern: `output\\s+${label}`, kind: 'constant', words: ['output'], place: 'top' },
      { pattern: `module\\s+${label}`, kind: 'module', words: ['module'], place: 'top' },
      { pattern: `provider\\s+${label}`, kind: 'other', words: ['provider'], place: 'top' },
      { pattern: 'locals\\s*\\{', kind: 'other', words: ['locals'], place: 'top', opens: 'locals' },
    ],
    members: { locals: [{ pattern: `(${namePattern})\\s*=`, kind: 'constant' }] },
  },
};
