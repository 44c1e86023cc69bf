import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Age after which the folder of a process that cannot be seen from here is a leftover, in milliseconds. */
const foreignMs = 24 * 3_600_000;

/**
 * Runs work with a new folder that only this account can read, and removes the folder afterwards. The name says which
 * process uses it, so that `removeLeftRunFolders` can remove those of killed processes.
 */
export async function withRunFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftRunFolders(parent);
  const user = `${await processSpace()}-${process.pid}-${await startOf(process.pid)}`;
  const folder = await mkdtemp(join(parent, `run-${user}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes the folders of `withRunFolder` whose process has ended. */
export async function removeLeftRunFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, space, pid, start] = /^run-(\d+)-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(parent, name);
    const isVisible = Number(space) === (await processSpace());
    const isLeft = isVisible ? (await startOf(pid)) !== Number(start) : await isOld(folder);
    if (isLeft) await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the number of the namespace in which process ids are unique: a container has its own. */
async function processSpace(): Promise<number> {
  const name = await readlink('/proc/self/ns/pid').catch(() => '');
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}

/** Returns when a process started, in ticks since the start of the system; `undefined` if there is no such process. */
async function startOf(pid: number | string): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The second field, the name in parentheses, may contain spaces. The start is the 22nd field.
  return text === undefined ? undefined : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
}

async function isOld(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > foreignMs;
}
