import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';

/** The branch as it was last seen at the source, or as it was last pushed. HEAD of the copy. */
export const contextRef = 'refs/orgctx/source';

const stagingFolder = 'refs/orgctx/staging';

/** `refs/orgctx/staging/<number>` */
export function isStagingRef(ref: string): boolean {
  return /^refs\/orgctx\/staging\/\d{1,16}$/.test(ref);
}

export interface StagingRef {
  readonly name: string;
  readonly commit: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Nothing packs the refs of a copy, so each is a file. */
export async function stagingRefs(gitDir: string): Promise<readonly StagingRef[]> {
  const names = (await readdir(join(gitDir, stagingFolder)).catch(() => []))
    .map((name) => `${stagingFolder}/${name}`)
    .filter(isStagingRef);
  return Promise.all(
    names.map(async (name) => {
      const file = join(gitDir, name);
      return {
        name,
        commit: (await readFile(file, 'latin1')).trim(),
        modified: (await stat(file)).mtimeMs,
      };
    }),
  );
}

/** A copy is of one branch of one source, and whole: who finds it torn takes this mark away. */
export interface CopyMark {
  readonly source: string;
  readonly branch: string;
}

const markFile = 'orgctx-copy.json';

export function markText({ source, branch }: CopyMark): string {
  return `${JSON.stringify({ source, branch })}\n`;
}

export function markPath(gitDir: string): string {
  return join(gitDir, markFile);
}

export async function hasMark(gitDir: string, mark: CopyMark): Promise<boolean> {
  try {
    return (await readFile(markPath(gitDir), 'utf8')) === markText(mark);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(errorCode(error)))) return false;
    throw error;
  }
}

/** The copy is made anew when it is next asked for. */
export async function condemn(gitDir: string): Promise<void> {
  await rm(markPath(gitDir), { recursive: true, force: true });
}
