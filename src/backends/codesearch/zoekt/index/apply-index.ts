import { mkdir, rm } from 'node:fs/promises';
import { type IndexRequest, type IndexStatus, maxFileBytes } from '../../port.ts';
import type { ZoektClient } from '../zoekt-client.ts';
import { awaitServed } from './await-served.ts';
import { countDocuments } from './count-documents.ts';
import { type IndexState, readState, stateFile, statusOf, writeState } from './index-state.ts';
import { runIndexer } from './run-indexer.ts';
import { removeUnfinishedShards, shardFiles } from './shard-files.ts';
import { type Staged, stageRepository } from './stage-repository.ts';

export interface ApplyDeps {
  readonly client: ZoektClient;
  /** ZOEKT_INDEX_DIR. */
  readonly indexDir: string;
  /** ZOEKT_GIT_INDEX. */
  readonly gitIndex: string;
  /** Returns the path of universal-ctags; without it no symbols are indexed. */
  readonly ctags: () => Promise<string | undefined>;
  /** Time-outs of indexing one repository and of waiting until the webserver serves it, in milliseconds. */
  readonly indexMs: number;
  readonly servedMs: number;
}

/**
 * Indexes a complete repository, unless it is up to date, and returns once it is served. Renames replace the previous
 * shards, which serve results until then. The state is written last, so an interrupted run is repeated.
 */
export async function applyIndex(
  deps: ApplyDeps,
  name: string,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  const { client, indexDir } = deps;
  const file = stateFile(indexDir, name);
  const previous = await readState(file);
  const ctags = await deps.ctags();
  const symbols = ctags !== undefined;
  const shards = await shardFiles(indexDir, name);
  if (previous !== undefined && shards.length > 0 && isCurrent(previous, request, symbols))
    return statusOf(previous);
  await mkdir(indexDir, { recursive: true, mode: 0o700 });
  await removeUnfinishedShards(indexDir, name);
  const { gitDir, branches, repository } = request;
  const staged = await stageRepository(gitDir, name, repository.number, branches);
  try {
    await runIndexer({
      program: deps.gitIndex,
      args: indexerArgs(indexDir, staged, branches),
      variables: ctagsVariable(ctags),
      timeoutMs: deps.indexMs,
      onMessages: progressOf(request),
      signal,
    });
  } finally {
    await rm(staged.cacheDir, { recursive: true, force: true });
  }
  const listed = await awaitServed(client, { name, branches, symbols }, deps.servedMs, signal);
  const counts = await countDocuments(client, name, gitDir, branches[0].commit, signal);
  const state: IndexState = {
    format: 1,
    generation: (previous?.generation ?? 0) + 1,
    number: repository.number,
    branches: [...branches],
    symbols,
    bytes: listed.Stats.ContentBytes,
    files: counts.files,
    skipped: { ...counts.skipped },
  };
  await writeState(file, state);
  return statusOf(state);
}

/** Returns whether the index is up to date. An index without symbols is rebuilt once ctags is available. */
function isCurrent(state: IndexState, { branches, repository }: IndexRequest, symbols: boolean): boolean {
  return (
    state.number === repository.number &&
    state.symbols === symbols &&
    state.branches.length === branches.length &&
    branches.every(
      (branch, at) => state.branches[at]?.name === branch.name && state.branches[at].commit === branch.commit,
    )
  );
}

function indexerArgs(
  indexDir: string,
  { cacheDir, gitDir }: Staged,
  branches: IndexRequest['branches'],
): readonly string[] {
  return [
    `-index=${indexDir}`,
    `-repo_cache=${cacheDir}`,
    '-submodules=false',
    '-incremental=true',
    `-branches=${branches.map((branch) => branch.name).join(',')}`,
    `-file_limit=${maxFileBytes}`,
    // A text of that size cannot contain more trigrams, so none is skipped for their number.
    `-max_trigram_count=${maxFileBytes}`,
    gitDir,
  ];
}

function ctagsVariable(ctags: string | undefined): Record<string, string> {
  return ctags === undefined ? {} : { CTAGS_COMMAND: ctags };
}

/** Reports the number of files, which is the only progress that the indexer prints. */
function progressOf({ onProgress }: IndexRequest): (text: string) => void {
  return (text) => {
    const total = /attempting to index (\d+) total files/.exec(text)?.[1];
    if (total !== undefined) onProgress?.(0, Number(total));
  };
}
