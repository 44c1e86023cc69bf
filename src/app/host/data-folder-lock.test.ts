import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { holdDataFolder, isServedBy, requireFreeDataFolder } from './data-folder-lock.ts';
import { runningServer } from './running-server.ts';

const addresses = { baseUrl: 'http://127.0.0.1:3100', appUrl: 'http://127.0.0.1:3100' };

function sqliteFolder() {
  const dataDir = join(temporaryFolder(), 'data');
  return { dataDir, database: { dialect: 'sqlite', file: join(dataDir, 'orgctx.db') } } as const;
}

describe('the lock of a data folder', () => {
  it('refuses a second server and names the address and process of the first', async () => {
    const config = sqliteFolder();
    const held = await holdDataFolder(config);
    await held.publish(addresses);
    const message = new RegExp(`http://127\\.0\\.0\\.1:3100 \\(pid ${process.pid}\\)`);
    await expect(holdDataFolder(config)).rejects.toMatchObject({ code: 'data_folder_in_use', message });
    expect(() => requireFreeDataFolder(config)).toThrow(message);
    expect(isServedBy(config.dataDir, addresses.baseUrl)).toBe(true);
    expect(isServedBy(config.dataDir, 'http://127.0.0.1:3101')).toBe(false);
    expect(statSync(join(config.dataDir, 'server.json')).mode & 0o777).toBe(0o600);
    await held.release();
    expect(existsSync(join(config.dataDir, 'server.json'))).toBe(false);
    requireFreeDataFolder(config);
    await (await holdDataFolder(config)).release();
  });

  it('is free again after its process was killed, whatever the process left behind', async () => {
    const config = sqliteFolder();
    const lockModule = JSON.stringify(new URL('./data-folder-lock.ts', import.meta.url).href);
    const script = `const { holdDataFolder } = await import(${lockModule});
      const held = await holdDataFolder(${JSON.stringify(config)});
      await held.publish(${JSON.stringify(addresses)});
      console.log('held');
      setInterval(() => held, 1_000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(holder, 'exit');
    try {
      await Promise.race([once(holder.stdout, 'data'), ended]);
      expect(() => requireFreeDataFolder(config)).toThrow(`pid ${holder.pid}`);
    } finally {
      holder.kill('SIGKILL');
    }
    await ended;
    expect(runningServer(config.dataDir)).toMatchObject(addresses);
    expect(isServedBy(config.dataDir, addresses.baseUrl)).toBe(false);
    const held = await holdDataFolder(config);
    expect(runningServer(config.dataDir)).toBeUndefined();
    await held.release();
  });

  it('is not held by a command that checks it, and a server waits for the end of the check', async () => {
    const config = sqliteFolder();
    const stopped = await holdDataFolder(config);
    await stopped.publish(addresses);
    const description = readFileSync(join(config.dataDir, 'server.json'));
    await stopped.release();
    writeFileSync(join(config.dataDir, 'server.json'), description);
    const check = new BetterSqlite3(dataFolder(config.dataDir).serverLock, { readonly: true });
    check.exec('begin; select * from sqlite_schema');
    expect(isServedBy(config.dataDir, addresses.baseUrl)).toBe(false);
    requireFreeDataFolder(config);
    const holding = holdDataFolder(config);
    check.close();
    await (await holding).release();
  });

  it('does not stop several servers that share a Postgres database', async () => {
    const { dataDir } = sqliteFolder();
    const config = { dataDir, database: { dialect: 'postgres', host: 'h', database: 'd' } } as const;
    const [first, second] = [await holdDataFolder(config), await holdDataFolder(config)];
    await second.publish(addresses);
    expect(runningServer(dataDir)).toMatchObject(addresses);
    expect(isServedBy(dataDir, addresses.baseUrl)).toBe(true);
    await Promise.all([first.release(), second.release()]);
  });
});
