import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { orgctx, start } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

/** Of a service that ran here and stopped in order. */
const dataDir = join(temporaryFolder(), 'data');

beforeAll(async () => {
  const serve = start(['serve', '--port', '0', '--data-dir', dataDir]);
  await serve.line((text) => text.includes('"worker ready"'));
  await vi.waitFor(
    async () => {
      const { report } = await examine(dataDir);
      expect(report.checks.find(({ id }) => id === 'worker')?.status).toBe('pass');
    },
    { timeout: 20_000, interval: 500 },
  );
  expect(await serve.stop()).toBe(0);
});

async function examine(folder: string) {
  const { code, stdout, stderr } = await orgctx(['doctor', '--json', '--data-dir', folder]);
  return { code, stderr, report: JSON.parse(stdout) as Report };
}

describe('orgctx doctor', () => {
  it('passes on a host where the service ran, and exits 0', async () => {
    const { code, stderr, report } = await examine(dataDir);
    expect([code, stderr, report.schemaVersion]).toEqual([0, '', 1]);
    // The disk of a build machine may be nearly full, which is no fault of the doctor's.
    expect(report.checks.filter(({ id, status }) => status !== 'pass' && id !== 'disk')).toEqual([]);
    for (const check of report.checks) {
      expect(check).toMatchObject({ title: expect.any(String), message: expect.stringMatching(/\.$/) });
    }
  });

  it('for people prints a line a check, the verdict last', async () => {
    const { code, stdout } = await orgctx(['doctor', '--data-dir', dataDir]);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^This host: (ok|warning)$/)]);
    const { report } = await examine(dataDir);
    for (const { title } of report.checks) {
      expect(lines.filter((line) => new RegExp(`^(pass|warning) +${title}: `).test(line))).toHaveLength(1);
    }
  });

  it('looks at a service that runs, and does not disturb it', async () => {
    const serve = start(['serve', '--port', '0', '--data-dir', dataDir]);
    await serve.line((text) => text.includes('"worker ready"'));
    expect((await examine(dataDir)).code).toBe(0);
    expect(await serve.stop()).toBe(0);
    expect(serve.output.stdout).not.toMatch(/"level":"(warn|error)"/);
  });

  it('fails where there is no database, names what makes one, and exits 1', async () => {
    const { code, report } = await examine(temporaryFolder());
    expect([code, report.status]).toEqual([1, 'failed']);
    expect(report.checks.find(({ id }) => id === 'database')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('orgctx serve'),
    });
  });

  it('fails where the key of connection secrets is lost, and makes none in its place', async () => {
    const [file, aside] = [join(dataDir, 'auth-secret'), join(dataDir, 'aside')];
    renameSync(file, aside);
    const { code, report } = await examine(dataDir);
    expect(existsSync(file)).toBe(false);
    renameSync(aside, file);
    expect([code, report.checks.find(({ id }) => id === 'secrets')]).toMatchObject([
      1,
      { status: 'fail', hint: expect.stringContaining('auth-secret') },
    ]);
  });

  it('takes a wrong command line and a bad setting for what they are: exit codes 2 and 3', async () => {
    expect(await orgctx(['doctor', '--fix'])).toMatchObject({ code: 2, stdout: '' });
    const env = { DATABASE_URL: 'mysql://x' };
    expect(await orgctx(['doctor', '--data-dir', dataDir], { env })).toMatchObject({ code: 3, stdout: '' });
  });
});
