import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startZoekt } from '../../support/codesearch/zoekt.ts';
import type { Corpus } from '../search/corpus.ts';
import { escapePattern } from '../search/csearch.ts';
import { runMeasured } from '../search/run-measured.ts';
import { linkRepositories } from '../search/zoekt.ts';
import type { LookUp } from './look-up.ts';

export interface ZoektLookUp {
  readonly name: string;
  readonly lookUp: LookUp;
  close(): Promise<void>;
}

/** Opens Zoekt over the same repositories; uses universal-ctags to find definitions if it is installed. */
export async function openZoektLookUp(
  corpus: Corpus,
  programs: string,
  folder: string,
): Promise<ZoektLookUp> {
  const ctags = hasCtags();
  const index = await build(corpus, programs, folder, ctags);
  const server = await startZoekt(programs, index);
  const lookUp: LookUp = async (name) => {
    const everything = { ShardMaxMatchCount: 1e9, TotalMaxMatchCount: 1e9, MaxDocDisplayCount: 1000 };
    const response = await fetch(`${server.url}/api/search`, {
      method: 'POST',
      body: JSON.stringify({ Q: `"${escapePattern(name).replace(/["\\]/g, '\\$&')}"`, Opts: everything }),
    });
    if (!response.ok) throw new Error(`zoekt: ${await response.text()}`);
    const { Result } = (await response.json()) as {
      Result?: { Files?: readonly { Repository: string; FileName: string }[] | null };
    };
    return (Result?.Files ?? []).map((file) => `${file.Repository}/${file.FileName}`);
  };
  return { name: ctags ? 'Zoekt with ctags' : 'Zoekt without ctags', lookUp, close: () => server.stop() };
}

async function build(
  { repositories }: Corpus,
  programs: string,
  folder: string,
  ctags: boolean,
): Promise<string> {
  const named = linkRepositories(repositories, folder);
  const index = join(folder, 'index');
  const limits = [
    '-file_limit',
    String(1024 * 1024),
    '-max_trigram_count',
    String(1024 * 1024),
    '-submodules=false',
  ];
  const flags = [...limits, ...(ctags ? ['-require_ctags'] : ['-disable_ctags'])];
  const env = { ...process.env, CTAGS_COMMAND: 'ctags' };
  await runMeasured(join(programs, 'zoekt-git-index'), [...flags, '-index', index, ...named], env);
  return index;
}

function hasCtags(): boolean {
  const { status, stdout } = spawnSync('ctags', ['--list-features'], { encoding: 'utf8' });
  return status === 0 && /^interactive\b/m.test(stdout);
}
