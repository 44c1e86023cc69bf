import { spawnSync } from 'node:child_process';
import { pathText } from '../../../src/foundation/git/path-text.ts';
import type { Corpus } from './corpus.ts';
import type { Engine } from './engine.ts';
import type { Question } from './questions.ts';

/** Every file of the checkout holds text already, so ripgrep has nothing to leave out. */
const FLAGS = ['--no-config', '--files-with-matches', '--null', '--text'];
const EVERYTHING = ['--hidden', '--no-ignore'];

/** `rg -l` over the checkout; a process for each question. */
export function openRipgrep({ checkout }: Corpus): Engine {
  return {
    all: async (question) => findFiles(checkout, question),
    close: async () => undefined,
  };
}

function findFiles(checkout: string, { form, text, caseSensitive }: Question): string[] {
  const casing = caseSensitive ? '--case-sensitive' : '--ignore-case';
  const pattern = form === 'literal' ? ['--fixed-strings', '--regexp', text] : ['--regexp', text];
  const { status, stdout, stderr } = spawnSync('rg', [...FLAGS, ...EVERYTHING, casing, ...pattern, '.'], {
    cwd: checkout,
    maxBuffer: 2 ** 30,
  });
  if (status !== 0 && status !== 1) throw new Error(`rg: ${stderr.toString()}`);
  const files: string[] = [];
  for (let at = 0, end = stdout.indexOf(0); end >= 0; at = end + 1, end = stdout.indexOf(0, at)) {
    files.push(pathText(stdout.subarray(at + 2, end)));
  }
  return files;
}
