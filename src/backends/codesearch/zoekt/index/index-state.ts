import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import type { BranchHead, IndexStatus } from '../../port.ts';

const branch: z.ZodType<BranchHead> = z.object({ name: z.string(), commit: z.string() });
const count = z.number().int().nonnegative();

const indexState = z.object({
  format: z.literal(1),
  generation: count,
  /** The number that identifies the repository in Zoekt. */
  number: count,
  branches: z.tuple([branch], branch),
  /** True if universal-ctags was available, so that symbols are indexed. */
  symbols: z.boolean(),
  files: count,
  bytes: count,
  skipped: z.record(z.string(), count),
});

/** The state of an index that Zoekt does not record, in a small file next to its own. */
export type IndexState = z.infer<typeof indexState>;

/**
 * Returns the path of the state file. It is in a separate folder, because Zoekt serves the files directly in
 * `indexDir`. `name` is a result of `indexName`.
 */
export function stateFile(indexDir: string, name: string): string {
  return join(indexDir, 'orgctx', `${name}.json`);
}

/** Reads the state; `undefined` if it is missing or invalid, in which case the repository is indexed again. */
export async function readState(file: string): Promise<IndexState | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return indexState.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Writes the state atomically: after a crash the file is either the previous or the new one. */
export async function writeState(file: string, state: IndexState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.tmp`;
  {
    await using handle = await open(unfinished, 'w', 0o600);
    await handle.writeFile(JSON.stringify(state));
    await handle.sync();
  }
  await rename(unfinished, file);
  await using folder = await open(dirname(file), 'r');
  await folder.sync();
}

export async function removeState(file: string): Promise<void> {
  await rm(file, { force: true });
}

export function statusOf({ generation, branches, files, bytes, skipped }: IndexState): IndexStatus {
  return {
    generation,
    commit: branches[0].commit,
    branches,
    needsCompaction: false,
    filesWithoutDefinitions: 0,
    files,
    bytes,
    skipped,
  };
}
