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
      { pattern: `(?:resource|data|ephemeral)\\s+"[^"]+"\\s+${label}`, kind: 'struct', place: 'top' },
      { pattern: `variable\\s+${label}`, kind: 'variable', place: 'top' },
      { pattern: `output\\s+${label}`, kind: 'constant', place: 'top' },
      { pattern: `module\\s+${label}`, kind: 'module', place: 'top' },
      { pattern: `provider\\s+${label}`, kind: 'other', place: 'top' },
      { pattern: 'locals\\s*\\{', kind: 'other', place: 'top', opens: 'locals' },
    ],
    members: { locals: [{ pattern: `(${namePattern})\\s*=`, kind: 'constant' }] },
  },
};
