import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import type { Corpus } from './corpus.ts';
import type { BuildCost, Engine } from './engine.ts';
import { runMeasured } from './run-measured.ts';

/** Indexes the checkout with `cindex`. */
export async function buildCsearch({ checkout }: Corpus, file: string): Promise<BuildCost> {
  const { output: _, ...cost } = await runMeasured('cindex', [checkout], {
    ...process.env,
    CSEARCHINDEX: file,
  });
  return { ...cost, size: statSync(file).size };
}

/** Runs `csearch -l`, one process per question. */
export function openCsearch({ checkout }: Corpus, file: string): Engine {
  return {
    all: async ({ form, text, caseSensitive }) => {
      const pattern = form === 'literal' ? escapePattern(text) : text;
      const { status, stdout, stderr } = spawnSync(
        'csearch',
        ['-l', ...(caseSensitive ? [] : ['-i']), pattern],
        { encoding: 'utf8', env: { ...process.env, CSEARCHINDEX: file }, maxBuffer: 2 ** 30 },
      );
      if (status !== 0 && status !== 1) throw new Error(`csearch: ${stderr}`);
      return stdout.split('\n').flatMap((path) => (path === '' ? [] : [relative(checkout, path)]));
    },
    close: async () => undefined,
  };
}

/** Escapes text for an RE2 pattern. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
