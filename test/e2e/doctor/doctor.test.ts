import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { orgctx, start } from '../../support/program/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Report {
  readonly schemaVersion: number;
  readonly status: string;
  readonly checks: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: string;
    readonly message: string;
    readonly hint?: string;
  }[];
}

/** Data folder of a service that ran and stopped normally. */
const dataDir = join(temporaryFolder(), 'data');

beforeAll(async () => {
  const serve = start(['serve', '--port', '0', '--data-dir', dataDir]);
  await serve.line((text) => text.includes('"worker ready"'));
  await vi.waitFor(
    async () => {
      const { report } = await examine(dataDir);
      expect(report.checks.find(({ id }) => id === 'worker')?.status).toBe('pass');
    },
    { timeout: 120_000, interval: 500 },
  );
  expect(await serve.stop()).toBe(0);
});

async function examine(folder: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await orgctx(['doctor', '--json', '--data-dir', folder], { env });
  return { code, stderr, report: JSON.parse(stdout) as Report };
}

describe('orgctx doctor', () => {
  it('passes on a host where the service ran, except that no server and no worker runs, and exits 0', async () => {
    // Without a running server it asks the configured port, at which another program may run.
    const { code, stderr, report } = await examine(dataDir, { PORT: '1' });
    expect([code, stderr, report.schemaVersion]).toEqual([0, '', 1]);
    // The disk of a build machine may be nearly full, so the disk check may fail.
    const others = report.checks.filter(({ id, status }) => status !== 'pass' && id !== 'disk');
    expect(others).toMatchObject([
      { id: 'server', status: 'warning', hint: expect.stringContaining('orgctx serve') },
      { id: 'worker', status: 'warning', message: 'No worker is running.' },
    ]);
    for (const check of report.checks) {
      expect(check).toMatchObject({ title: expect.any(String), message: expect.stringMatching(/\.$/) });
    }
  });

  it('prints one line per check and the result last without --json', async () => {
    const { code, stdout } = await orgctx(['doctor', '--data-dir', dataDir]);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^This host: (ok|warning)$/)]);
    const { report } = await examine(dataDir);
    for (const { title } of report.checks) {
      expect(lines.filter((line) => new RegExp(`^(pass|warning) +${title}: `).test(line))).toHaveLength(1);
    }
  });

  it('checks a running service without disturbing it', async () => {
    const serve = start(['serve', '--port', '0', '--data-dir', dataDir]);
    await serve.line((text) => text.includes('"worker ready"'));
    const { code, report } = await examine(dataDir);
    expect([code, report.checks.find(({ id }) => id === 'server')]).toMatchObject([0, { status: 'pass' }]);
    expect(await serve.stop()).toBe(0);
    expect(serve.output.stdout).not.toMatch(/"level":"(warn|error)"/);
  });

  it('fails without a database, names the command that creates one, and exits 1', async () => {
    const { code, report } = await examine(temporaryFolder());
    expect([code, report.status]).toEqual([1, 'failed']);
    expect(report.checks.find(({ id }) => id === 'database')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('orgctx serve'),
    });
  });

  it('fails when the key of connection secrets is lost, and creates no new one', async () => {
    const [file, quarantine] = [join(dataDir, 'auth-secret'), join(dataDir, 'quarantine')];
    renameSync(file, quarantine);
    const { code, report } = await examine(dataDir);
    expect(existsSync(file)).toBe(false);
    renameSync(quarantine, file);
    expect([code, report.checks.find(({ id }) => id === 'secrets')]).toMatchObject([
      1,
      { status: 'fail', hint: expect.stringContaining('auth-secret') },
    ]);
  });

  it('exits with 2 for a wrong command line and 3 for a bad setting', async () => {
    expect(await orgctx(['doctor', '--fix'])).toMatchObject({ code: 2, stdout: '' });
    const env = { DATABASE_URL: 'mysql://x' };
    expect(await orgctx(['doctor', '--data-dir', dataDir], { env })).toMatchObject({ code: 3, stdout: '' });
  });
});
