import { spawnSync } from 'node:child_process';
import { pathText } from '../../../src/foundation/git/objects/path-text.ts';
import type { Corpus } from './corpus.ts';
import type { Engine } from './engine.ts';
import type { Question } from './questions.ts';

/** Flags that make ripgrep search every file: the checkout contains only text files. */
const flags = ['--no-config', '--files-with-matches', '--null', '--text'];
const everything = ['--hidden', '--no-ignore'];

/** Runs `rg -l` over the checkout, one process per question. */
export function openRipgrep({ checkout }: Corpus): Engine {
  return {
    all: async (question) => findFiles(checkout, question),
    close: async () => undefined,
  };
}

function findFiles(checkout: string, { form, text, caseSensitive }: Question): string[] {
  const casing = caseSensitive ? '--case-sensitive' : '--ignore-case';
  const pattern = form === 'literal' ? ['--fixed-strings', '--regexp', text] : ['--regexp', text];
  const { status, stdout, stderr } = spawnSync('rg', [...flags, ...everything, casing, ...pattern, '.'], {
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
