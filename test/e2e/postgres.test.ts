import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, openTestDatabase, type TestDatabase } from '../support/database/databases.ts';
import { createRepository, type TestRepository } from '../support/git/git-repository.ts';
import { orgctx, type RunningQuickstart, start, startQuickstart } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe.skipIf(!hasPostgres())('the program over PostgreSQL', () => {
  const secret = 'a-secret-of-more-than-32-characters-for-tests';
  const dataDir = temporaryFolder();
  let database: TestDatabase;
  let env: Record<string, string>;
  let source: TestRepository;
  let service: RunningQuickstart;

  beforeAll(async () => {
    database = await openTestDatabase('postgres', { empty: true });
    const { options } = database;
    env = { DATABASE_URL: options.dialect === 'postgres' ? options.url : '', AUTH_SECRET: secret };
    source = createRepository({
      'src/ferry.ts': '/** Carries cars over the fjord. */\nexport const ferry = 1;\n',
    });
    service = await startQuickstart([source.folder, '--ask', 'What carries cars?'], { env, dataDir });
  });

  afterAll(async () => {
    await service?.stop();
    await database?.close();
  });

  it('goes from an empty database to a cited answer', () => {
    expect(service.result.answer?.citations[0]).toMatchObject({ path: 'src/ferry.ts' });
  });

  it('keeps the secret out of the shown configuration', async () => {
    const { code, stdout } = await orgctx(['config', 'show', '--json', '--data-dir', dataDir], { env });
    expect(code).toBe(0);
    expect(stdout).not.toContain(secret);
  });

  it('refuses to start without AUTH_SECRET, which several processes must share', async () => {
    const { code, stderr } = await orgctx(['serve', '--port', '0', '--data-dir', dataDir], {
      env: { DATABASE_URL: env['DATABASE_URL'] ?? '' },
    });
    expect([code, stderr]).toEqual([3, expect.stringContaining('AUTH_SECRET')]);
  });

  it('prints a command for the first user that names the settings to repeat, and works', async () => {
    const empty = await openTestDatabase('postgres', { empty: true });
    const { options } = empty;
    const given = { ...env, DATABASE_URL: options.dialect === 'postgres' ? options.url : '' };
    const serve = start(['serve', '--no-worker', '--port', '0', '--data-dir', temporaryFolder()], {
      env: given,
    });
    try {
      const hint =
        'or, with the same DATABASE_URL, AUTH_SECRET: orgctx admin create --email you@example.com --org your-org';
      await expect.poll(() => serve.output.stderr).toContain(hint);
      const { code } = await orgctx(hint.replace(/.*orgctx /, '').split(' '), { env: given });
      expect(code).toBe(0);
    } finally {
      await serve.stop();
      await empty.close();
    }
  });

  it('indexes a new commit when it is run again', async () => {
    await service.stop();
    const commit = source.commit({
      'src/tunnel.ts': '/** Goes under the fjord. */\nexport const tunnel = 2;\n',
    });
    service = await startQuickstart([source.folder], { env, dataDir });
    expect(service.result).toMatchObject({ apiKey: null, repository: { indexedCommit: commit } });
  });

  it('migrates once; a second run has nothing to do', async () => {
    const { code, stdout } = await orgctx(['migrate', '--json', '--data-dir', dataDir], { env });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { applied: [], pending: [], version: expect.any(String) },
    ]);
  });

  it('exits with 5 when the server is unreachable, and names the host but not the password', async () => {
    const { code, stderr } = await orgctx(['migrate', '--data-dir', dataDir], {
      env: { DATABASE_URL: 'postgres://orgctx:hush-hush@127.0.0.1:9/orgctx', AUTH_SECRET: secret },
    });
    expect([code, stderr]).toEqual([5, expect.stringContaining('127.0.0.1')]);
    expect(stderr).not.toContain('hush-hush');
  });
});
