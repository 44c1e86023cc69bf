import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { copyPath } from '../../src/features/mirror/target-copy.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { killProcess } from '../support/kill-process.ts';
import { createRemote } from '../support/mirror-remote.ts';
import { queueFiles, quietTime, targetFor, waitingPaths } from '../support/mirroring.ts';
import { seedOrganization } from '../support/seeded-repositories.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) await killProcess(child);
});

function startHost(options: unknown, dataDir: string, skewMs: number): ChildProcess {
  const script = join(import.meta.dirname, '../support/mirror-program.ts');
  const args = [script, JSON.stringify(options), dataDir, String(skewMs)];
  // Not the test runner's environment: what the program shares with tests must not look for a runner in it.
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return child;
}

describeEachDatabase('two hosts with one target', (open, dialect) => {
  it('make one line of commits and lose nothing, though one is killed', async () => {
    const database = await open();
    const remote = createRemote();
    const target = await targetFor(database, await seedOrganization(database, 'acme'), remote.folder);
    const dataDirs = [temporaryFolder(), temporaryFolder()];
    // The queue's time is the database's on Postgres. On SQLite the hosts are one.
    const skewMs = dialect === 'postgres' ? 5 * 3_600_000 : 0;
    const hosts = dataDirs.map((dataDir, index) => startHost(database.options, dataDir, index * skewMs));
    const hasWorked = (dataDir: string): boolean => existsSync(copyPath(dataDir, target));
    const latest = new Map<string, string>();
    let edits = 0;
    const edit = async (): Promise<void> => {
      const files = { [`tracker/${edits % 7}.md`]: `${edits}`, [`tracker/one/${edits}.md`]: 'x' };
      await quietTime(database);
      await queueFiles(database, target.id, files);
      for (const [path, text] of Object.entries(files)) latest.set(path, text);
      edits += 1;
    };

    const editUntil = (isSo: () => boolean): Promise<void> =>
      vi.waitFor(
        async () => {
          await edit();
          expect(isSo()).toBe(true);
        },
        { timeout: 40_000, interval: 5 },
      );

    await editUntil(() => dataDirs.some(hasWorked) && remote.history().length > 2);
    const busy = hosts[dataDirs.findIndex(hasWorked)];
    if (busy !== undefined) await killProcess(busy);
    await editUntil(() => dataDirs.every(hasWorked));
    for (let more = 0; more < 10; more += 1) await edit();
    await vi.waitFor(async () => expect(await waitingPaths(database)).toEqual([]), {
      timeout: 40_000,
      interval: 50,
    });

    expect(remote.files()).toEqual(Object.fromEntries(latest));
    expect(remote.history().every(({ parents }) => parents.length <= 1)).toBe(true);
    expect(remote.history().length).toBeLessThan(edits);
  }, 120_000);
});
