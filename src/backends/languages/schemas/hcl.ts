import type { LineLanguage } from '../language.ts';
import { hash, heredoc, quoted, slashes } from '../lexical/lexical-rule.ts';
import { namePattern, rule } from '../lines/line-rule.ts';

const label = '"([^"]+)"';

export const hcl: LineLanguage = {
  name: 'HCL',
  endings: 'hcl tf tfvars nomad',
  lexical: [...hash, ...slashes, quoted('"', { hole: '${' }), heredoc(/<<[-~]?(\w{1,100})/y, { hole: '${' })],
  fileNames: '.terraform.lock.hcl',
  lines: [
    rule('struct', `(?:resource|data|ephemeral)\\s+"[^"]+"\\s+${label}`, { place: 'top' }),
    rule('variable', `variable\\s+${label}`, { place: 'top' }),
    rule('constant', `output\\s+${label}`, { place: 'top' }),
    rule('module', `module\\s+${label}`, { place: 'top' }),
    rule('other', `provider\\s+${label}`, { place: 'top' }),
    rule('other', 'locals\\s*\\{', { place: 'top', opens: [rule('constant', `(${namePattern})\\s*=`)] }),
  ],
};
