import { copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { BranchHead } from '../../port.ts';

export interface Staged {
  /** Value of the indexer option `-repo_cache`; the indexer derives the repository name from the path below it. */
  readonly cacheDir: string;
  readonly gitDir: string;
}

/**
 * Creates a bare repository for the indexer, with the objects of a mirror, the branches under their own names, and
 * the settings of Zoekt. The mirror does not change. The new repository is in the folder of the mirror, because its
 * objects are hard links (the indexer follows no symlink and no alternate out of a repository), and always at the
 * same path, which the indexer compares.
 * @throws InvalidInput for a branch that cannot be passed to the indexer.
 */
export async function stageRepository(
  mirror: string,
  name: string,
  number: number,
  branches: readonly [BranchHead, ...BranchHead[]],
): Promise<Staged> {
  branches.forEach(checkBranch);
  const cacheDir = join(mirror, 'zoekt');
  const gitDir = join(cacheDir, `${name}.git`);
  await rm(cacheDir, { recursive: true, force: true });
  await mkdir(join(gitDir, 'refs'), { recursive: true, mode: 0o700 });
  await linkObjects(join(mirror, 'objects'), join(gitDir, 'objects'));
  const refs = branches.filter((branch) => branch.name !== 'HEAD');
  const packed = refs.map((branch) => `${branch.commit} refs/heads/${branch.name}\n`).toSorted(byRef);
  await writeFile(
    join(gitDir, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${packed.join('')}`,
  );
  await writeFile(join(gitDir, 'HEAD'), `${branches[0].commit}\n`);
  const settings = `[zoekt]\n\tname = ${name}\n\trepoid = ${number}\n`;
  await writeFile(
    join(gitDir, 'config'),
    `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${settings}`,
  );
  return { cacheDir, gitDir };
}

function byRef(a: string, b: string): number {
  const [left, right] = [a.slice(41), b.slice(41)];
  return left < right ? -1 : Number(left > right);
}

/** Checks a branch: the indexer takes a comma-separated list, and only commit ids of 40 digits. */
function checkBranch({ name, commit }: BranchHead): void {
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new InvalidInput(
      'Zoekt cannot index a repository with SHA-256 object ids. Set CODESEARCH_KIND=orgctx to index it.',
    );
  }
  // git-check-ref-format(1) already forbids the other characters.
  if (!/^[^\p{Cc}\s,:~^?*[\\]+$/u.test(name) || name.includes('..')) {
    throw new InvalidInput(
      `Zoekt cannot index the branch ${JSON.stringify(name.slice(0, 80))}: its name contains a comma. Remove it from the indexed branches.`,
    );
  }
}

async function linkObjects(from: string, to: string): Promise<void> {
  for (const folder of await readdir(from, { withFileTypes: true })) {
    if (!folder.isDirectory() || !/^(?:[0-9a-f]{2}|pack)$/.test(folder.name)) continue;
    await mkdir(join(to, folder.name), { recursive: true });
    for (const file of await readdir(join(from, folder.name))) {
      if (!/^(?:[0-9a-f]{38}|pack-[0-9a-f]+\.(?:pack|idx))$/.test(file)) continue;
      await linkOrCopy(join(from, folder.name, file), join(to, folder.name, file));
    }
  }
}

/** Links a file, or copies it where the file system has no hard links or forbids links to a file of another user. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
