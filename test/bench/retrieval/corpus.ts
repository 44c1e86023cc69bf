import { execFileSync } from 'node:child_process';
import { git } from './git.ts';
import { isInCorpus } from './queries.ts';

export interface CorpusFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the corpus of a commit. Texts are kept by blob, because neighbouring commits share nearly all of them. */
export class CorpusReader {
  readonly #gitDir: string;
  readonly #texts = new Map<string, string>();

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  /** Returns the files of a commit; those of the corpus, unless others are selected. */
  at(commit: string, isWanted: (path: string) => boolean = isInCorpus): CorpusFile[] {
    const entries = git(this.#gitDir, ['ls-tree', '-r', '-z', commit])
      .split('\0')
      .flatMap((entry) => {
        const [, oid, path] = /^100\d{3} blob (\w+)\t(.+)$/s.exec(entry) ?? [];
        return oid === undefined || path === undefined || !isWanted(path) ? [] : [{ oid, path }];
      });
    this.#readMissing(entries.map(({ oid }) => oid));
    return entries.map(({ oid, path }) => ({ path, text: this.#texts.get(oid) ?? '' }));
  }

  #readMissing(oids: readonly string[]): void {
    const missing = [...new Set(oids)].filter((oid) => !this.#texts.has(oid));
    if (missing.length === 0) return;
    const output = execFileSync('git', [`--git-dir=${this.#gitDir}`, 'cat-file', '--batch'], {
      input: `${missing.join('\n')}\n`,
      maxBuffer: 1024 * 1024 * 1024,
    });
    let at = 0;
    for (const oid of missing) {
      const end = output.indexOf(0x0a, at);
      const bytes = Number(output.toString('latin1', at, end).split(' ')[2]);
      this.#texts.set(oid, output.toString('utf8', end + 1, end + 1 + bytes));
      at = end + 1 + bytes + 1;
    }
  }
}
