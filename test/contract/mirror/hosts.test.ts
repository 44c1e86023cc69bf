import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { copyPath } from '../../../src/features/mirror/reconcile-mirror.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { killProcess } from '../../support/kill/kill-process.ts';
import { createRemote } from '../../support/mirror/mirror-remote.ts';
import { queueFiles, resetCommitDelay, targetFor, waitingPaths } from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) await killProcess(child);
});

function startHost(options: unknown, dataDir: string, skewMs: number): ChildProcess {
  const script = join(import.meta.dirname, '../../support/mirror/mirror-program.ts');
  const args = [script, JSON.stringify(options), dataDir, String(skewMs)];
  // Not the environment of the test runner: code shared with tests must not look for a runner in it.
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return child;
}

describeEachDatabase('two hosts with one target', (open, dialect) => {
  it('creates a linear history and loses nothing, though one host is killed', async () => {
    const database = await open();
    const remote = createRemote();
    const target = await targetFor(database, await seedOrganization(database, 'acme'), remote.folder);
    const dataDirs = [temporaryFolder(), temporaryFolder()];
    // On Postgres the queue uses the clock of the database. On SQLite there is only one host.
    const skewMs = dialect === 'postgres' ? 5 * 3_600_000 : 0;
    const hosts = dataDirs.map((dataDir, index) => startHost(database.options, dataDir, index * skewMs));
    const hasWorked = (dataDir: string): boolean => existsSync(copyPath(dataDir, target));
    const latest = new Map<string, string>();
    let edits = 0;
    const edit = async (): Promise<void> => {
      const files = { [`tracker/${edits % 7}.md`]: `${edits}`, [`tracker/one/${edits}.md`]: 'x' };
      await resetCommitDelay(database);
      await queueFiles(database, target.id, files);
      for (const [path, text] of Object.entries(files)) latest.set(path, text);
      edits += 1;
    };

    const editUntil = (condition: () => boolean): Promise<void> =>
      vi.waitFor(
        async () => {
          await edit();
          expect(condition()).toBe(true);
        },
        // Edits without a pause would keep the only write lock of SQLite from the hosts on a busy machine.
        { timeout: 120_000, interval: 100 },
      );

    await editUntil(() => dataDirs.some(hasWorked) && remote.history().length > 2);
    const busy = hosts[dataDirs.findIndex(hasWorked)];
    if (busy !== undefined) await killProcess(busy);
    await editUntil(() => dataDirs.every(hasWorked));
    for (let more = 0; more < 10; more += 1) await edit();
    await vi.waitFor(async () => expect(await waitingPaths(database)).toEqual([]), {
      timeout: 120_000,
      interval: 50,
    });

    expect(remote.files()).toEqual(Object.fromEntries(latest));
    expect(remote.history().every(({ parents }) => parents.length <= 1)).toBe(true);
    expect(remote.history().length).toBeLessThan(edits);
  });
});
