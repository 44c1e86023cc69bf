import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../../foundation/config/config.ts';
import { makeDataFolder } from '../../foundation/config/make-data-folder.ts';
import { type FileLock, isFileLocked, takeFileLock } from '../../foundation/db/sqlite/file-lock.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { errorCode } from '../../foundation/kernel/error-code.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import { type RunningServer, runningServer } from './running-server.ts';

export interface HeldDataFolder {
  /** Publishes the addresses of this server to other commands of this host. */
  publish(config: Pick<Config, 'baseUrl' | 'appUrl'>): Promise<void>;
  release(): Promise<void>;
}

/** Maximum time until the lock of a data folder is free, and time between two attempts, in milliseconds. */
const lockTimeoutMs = 1_000;
const lockRetryMs = 20;

/**
 * Reserves the data folder for one server. On Postgres several servers may share a data folder, so there only the
 * addresses are published.
 * @throws Conflict that names the server that has it
 */
export async function holdDataFolder({
  dataDir,
  database,
}: Pick<Config, 'dataDir' | 'database'>): Promise<HeldDataFolder> {
  const { serverLock, server } = dataFolder(dataDir);
  const lock = database.dialect === 'sqlite' ? await waitForLock(serverLock) : undefined;
  if (lock === undefined && database.dialect === 'sqlite') throw folderInUse(dataDir);
  // A server that was killed left its description behind.
  await rm(server, { force: true });
  return {
    async publish({ baseUrl, appUrl }) {
      makeDataFolder(dataDir);
      const description: RunningServer = { pid: process.pid, baseUrl, appUrl };
      await writeFile(server, `${JSON.stringify(description)}\n`, { mode: 0o600 });
    },
    async release() {
      if (runningServer(dataDir)?.pid === process.pid) await rm(server, { force: true });
      lock?.release();
    },
  };
}

/** Takes the lock of a server. A command that checks whether the server runs has a shared lock for a moment. */
async function waitForLock(file: string): Promise<FileLock | undefined> {
  const started = performance.now();
  let lock = takeFileLock(file);
  while (lock === undefined && performance.now() - started < lockTimeoutMs) {
    await setTimeout(lockRetryMs);
    lock = takeFileLock(file);
  }
  return lock;
}

/** Checks that no server uses the data folder. @throws Conflict that names the server */
export function requireFreeDataFolder({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): void {
  if (database.dialect !== 'sqlite') return;
  if (isFileLocked(dataFolder(dataDir).serverLock)) throw folderInUse(dataDir);
}

/**
 * Returns whether the server of the data folder listens at this address now. It holds the lock of the folder and the
 * port, so no other process can answer there. On Postgres there is no lock, and its process must exist.
 */
export function isServedBy(dataDir: string, baseUrl: string): boolean {
  const running = runningServer(dataDir);
  if (running?.baseUrl !== baseUrl) return false;
  const { serverLock } = dataFolder(dataDir);
  if (!existsSync(serverLock)) return processExists(running.pid);
  return isFileLocked(serverLock);
}

function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function folderInUse(dataDir: string): Conflict {
  const running = runningServer(dataDir);
  const where = running === undefined ? '' : ` It runs at ${running.baseUrl} (pid ${running.pid}).`;
  return new Conflict(
    'data_folder_in_use',
    `Another orgctx server uses the data folder ${dataDir}.${where} Use that server, stop it first, or choose another ` +
      'folder with --data-dir.',
  );
}
