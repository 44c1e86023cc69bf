import type { LineLanguage } from '../language.ts';
import { namePattern, slashStar } from '../lines/line-rule.ts';

const label = '"([^"]+)"';

export const hcl: LineLanguage = {
  name: 'HCL',
  endings: 'hcl tf tfvars nomad',
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
