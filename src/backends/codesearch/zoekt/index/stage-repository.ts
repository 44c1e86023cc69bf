import { copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { BranchHead } from '../../port.ts';

export interface Staged {
  /** `-repo_cache` of the indexer, which names a repository by its path from there. */
  readonly cacheDir: string;
  readonly gitDir: string;
}

/**
 * A bare repository for the indexer, with the objects of a mirror, the branches under their own names, and Zoekt's
 * settings. The mirror itself stays as it is. It lies in the mirror's folder, since the objects are hard links (the
 * indexer follows no symlink and no alternate out of a repository), and always at the same place, which is part of what
 * the indexer compares.
 * @throws InvalidInput for a branch that the indexer cannot be told.
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

/** Branches go to the indexer in a list with commas; it knows commits of 40 digits alone. */
function checkBranch({ name, commit }: BranchHead): void {
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new InvalidInput(
      'Zoekt cannot index a repository of the SHA-256 format. Index it with CODESEARCH_KIND=orgctx.',
    );
  }
  // git-check-ref-format(1) forbids the others already.
  if (!/^[^\p{Cc}\s,:~^?*[\\]+$/u.test(name) || name.includes('..')) {
    throw new InvalidInput(
      `Zoekt cannot index the branch ${JSON.stringify(name.slice(0, 80))}: a comma is in its name. Leave it out of the branches.`,
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

/** Some file systems have no hard links, and some systems allow none to another's file. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
