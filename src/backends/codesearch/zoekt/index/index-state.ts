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
  /** The number under which Zoekt knows the repository. */
  number: count,
  branches: z.tuple([branch], branch),
  /** Whether there was a universal-ctags, so that symbols are indexed. */
  symbols: z.boolean(),
  files: count,
  bytes: count,
  skipped: z.record(z.string(), count),
});

/** What Zoekt keeps no account of, in a small file beside its own. */
export type IndexState = z.infer<typeof indexState>;

/** In a folder of ours: Zoekt serves the files that lie directly in `indexDir`. `name` as `indexName` gives it. */
export function stateFile(indexDir: string, name: string): string {
  return join(indexDir, 'orgctx', `${name}.json`);
}

/** `undefined` where there is none, or none that can be read: the repository is then indexed anew. */
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

/** The file is the former or the new one, whatever ends the process. */
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
  return { generation, commit: branches[0].commit, branches, untidy: false, files, bytes, skipped };
}
