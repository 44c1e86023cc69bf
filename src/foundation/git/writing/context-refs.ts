import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The ref of the branch as last fetched or pushed. It is HEAD of the copy. */
export const contextRef = 'refs/orgctx/source';

const stagingFolder = 'refs/orgctx/staging';

/** Returns whether the ref is a staging ref: `refs/orgctx/staging/<number>`. */
export function isStagingRef(ref: string): boolean {
  return /^refs\/orgctx\/staging\/\d{1,16}$/.test(ref);
}

export interface StagingRef {
  readonly name: string;
  readonly commit: string;
  /** Time of the last change, in milliseconds since the epoch. */
  readonly modified: number;
}

/** Lists the staging refs. The refs of a copy are never packed, so each is a file. */
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
