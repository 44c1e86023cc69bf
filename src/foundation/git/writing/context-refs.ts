import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

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
