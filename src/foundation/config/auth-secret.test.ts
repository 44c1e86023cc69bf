import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { ensureAuthSecret } from './auth-secret.ts';
import { NotConfigured } from './config-error.ts';

const run = promisify(execFile);

function freshFolder(): string {
  return join(temporaryFolder(), 'data');
}

describe('ensureAuthSecret', () => {
  it('creates a secret once, readable only by its owner, and returns the same one afterwards', async () => {
    const folder = freshFolder();
    const secret = await ensureAuthSecret(folder);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(await ensureAuthSecret(folder)).toBe(secret);
    expect(readdirSync(folder)).toEqual(['auth-secret']);
    expect(statSync(join(folder, 'auth-secret')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('returns the same secret to all concurrent callers, in one process and in several', async () => {
    const folder = freshFolder();
    const script = `
      const { ensureAuthSecret } = await import(${JSON.stringify(new URL('./auth-secret.ts', import.meta.url).href)});
      const made = await Promise.all(Array.from({ length: 20 }, () => ensureAuthSecret(process.argv[1])));
      console.log(made.join('\\n'));`;
    const processes = Array.from({ length: 3 }, () =>
      run(process.execPath, ['--input-type=module', '--eval', script, folder]),
    );
    const outputs = await Promise.all(processes);
    const secrets = new Set(outputs.flatMap(({ stdout }) => stdout.trim().split('\n')));
    expect([...secrets]).toEqual([readFileSync(join(folder, 'auth-secret'), 'utf8').trim()]);
    expect(readdirSync(folder)).toEqual(['auth-secret']);
  });

  it('refuses a damaged file instead of creating another secret', async () => {
    const folder = freshFolder();
    await ensureAuthSecret(folder);
    writeFileSync(join(folder, 'auth-secret'), 'short\n');
    await expect(ensureAuthSecret(folder)).rejects.toThrow(NotConfigured);
    expect(readFileSync(join(folder, 'auth-secret'), 'utf8')).toBe('short\n');
  });

  it('names the folder and the next step when it is not writable', async () => {
    // Nobody can create files here, root included.
    await expect(ensureAuthSecret('/sys/kernel')).rejects.toThrow(
      /data folder \/sys\/kernel cannot be read and written by this account.*--data-dir/,
    );
  });

  it('names the next step when the folder cannot be created', async () => {
    await expect(ensureAuthSecret('/dev/null/data')).rejects.toThrow(
      /data folder \/dev\/null\/data cannot .*DATA_DIR/,
    );
  });
});
