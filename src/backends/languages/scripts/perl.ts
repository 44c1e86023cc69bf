import type { LineLanguage } from '../language.ts';
import { namePattern } from '../lines/line-rule.ts';

export const perl: LineLanguage = {
  name: 'Perl',
  endings: 'pl pm t',
  interpreters: 'perl',
  lines: {
    blocks: [
      { open: '=pod', close: '=cut' },
      { open: '=head', close: '=cut' },
    ],
    rules: [
      { pattern: `sub\\s+(?:(?<owner>[\\w:]+)::)?(?<name>${namePattern})`, kind: 'function', words: ['sub'] },
      { pattern: `package\\s+([\\w:]+)`, kind: 'module', words: ['package'] },
      { pattern: `use\\s+constant\\s+(${namePattern})`, kind: 'constant', words: ['use'] },
    ],
  },
};
