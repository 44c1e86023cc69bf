import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../support/http/free-port.ts';
import type { Corpus } from './corpus.ts';
import { escapePattern } from './csearch.ts';
import type { BuildCost, Engine } from './engine.ts';
import type { Question } from './questions.ts';
import { bytesOnDisk, runMeasured } from './run-measured.ts';

const nanoseconds = 1e9;
/** Flags that index every text file, as the other engines do, and no symbols, which would need another program. */
const buildFlags = [
  ['-file_limit', String(1024 * 1024)],
  ['-max_trigram_count', String(1024 * 1024)],
  ['-disable_ctags', '-submodules=false'],
].flat();

export interface ZoektEngine extends Engine {
  /** Returns the first 50 files, ranked, with Zoekt's own limits. */
  firstPage(question: Question): Promise<unknown>;
}

interface Answer {
  readonly Result?: { readonly Files?: readonly { Repository: string; FileName: string }[] | null };
}

/** Indexes the same bare repositories with `zoekt-git-index`, under their names in the corpus. */
export async function buildZoekt(
  { repositories }: Corpus,
  programs: string,
  folder: string,
): Promise<BuildCost> {
  const named = linkRepositories(repositories, folder);
  const index = join(folder, 'index');
  const args = [...buildFlags, '-index', index, ...named];
  const { output: _, ...cost } = await runMeasured(join(programs, 'zoekt-git-index'), args);
  return { ...cost, size: bytesOnDisk(index) };
}

/** Links each repository under its name in the corpus, because the indexer names a repository by its folder. */
export function linkRepositories(repositories: Corpus['repositories'], folder: string): readonly string[] {
  const links = join(folder, 'links');
  mkdirSync(links, { recursive: true });
  return repositories.map(({ name, gitDir }) => {
    symlinkSync(gitDir, join(links, name));
    return join(links, name);
  });
}

/** Starts `zoekt-webserver -rpc` on loopback and queries it over HTTP. */
export async function openZoekt(programs: string, folder: string): Promise<ZoektEngine> {
  const listen = `127.0.0.1:${await freePort()}`;
  const flags = ['-rpc', '-html=false', '-index', join(folder, 'index'), '-listen', listen];
  const server = spawn(join(programs, 'zoekt-webserver'), flags, { stdio: 'ignore' });
  // Also stops the server when the run fails.
  process.once('exit', () => server.kill());
  const ask = async (query: string, options: Record<string, unknown>): Promise<Answer> => {
    const response = await fetch(`http://${listen}/api/search`, {
      method: 'POST',
      body: JSON.stringify({ Q: query, Opts: { MaxWallTime: 60 * nanoseconds, ...options } }),
    });
    if (!response.ok) throw new Error(`zoekt: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  const everything = { ShardMaxMatchCount: 1e9, TotalMaxMatchCount: 1e9, MaxDocDisplayCount: 1e9 };
  await untilReady(() => ask('zoekt', {}));
  return {
    // Returns only file names without lines, like `-l` of the others.
    all: async (question) => {
      const { Result } = await ask(`type:filename ${queryText(question)}`, everything);
      return (Result?.Files ?? []).map((file) => `${file.Repository}/${file.FileName}`);
    },
    firstPage: (question) => ask(queryText(question), { MaxDocDisplayCount: 50 }),
    close: async () => {
      server.kill();
    },
  };
}

function queryText({ form, text, caseSensitive }: Question): string {
  const pattern = form === 'literal' ? escapePattern(text) : text;
  const quoted = `"${pattern.replace(/["\\]/g, '\\$&')}"`;
  return `case:${caseSensitive ? 'yes' : 'no'} content:${quoted}`;
}

/** Waits until the server has read its index and listens. */
async function untilReady(ask: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; ) {
    try {
      await ask();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}
