import { expect, it } from 'vitest';
import { rankSections } from './sections.ts';

const guide = {
  path: 'docs/authentication.rst',
  weight: 1,
  lines: [
    'Authentication',
    '==============',
    'All kinds of authentication.',
    '',
    'Netrc Authentication',
    '~~~~~~~~~~~~~~~~~~~~',
    'Without a digest.',
    '',
    'Digest Authentication',
    '---------------------',
    'Pass an object::',
    '    auth=Digest()',
    '',
    'Basic',
    '-----',
    'Pass a pair.',
  ],
};

it('finds the section whose heading fits the question, with its lines', () => {
  const [best] = rankSections([guide], ['digest', 'authentication']);
  expect([best?.heading, best?.startLine, best?.endLine]).toEqual(['Digest Authentication', 9, 13]);
});

it('takes no comment of a sample for a heading, and finds nothing for other words', () => {
  const sample = { path: 'README.md', weight: 1, lines: ['# Use', '```sh', '# digest', '```'] };
  expect(rankSections([sample], ['digest']).map(({ heading }) => heading)).toEqual(['Use']);
  expect(rankSections([sample], ['kubernetes'])).toEqual([]);
});
