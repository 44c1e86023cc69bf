import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { seedOrganization } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
import { hostEnvironment } from '../../../test/support/database/host-environment.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createConnection } from '../../features/connectors/connections/create-connection.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { openKeyring } from '../../foundation/secrets/open-keyring.ts';
import { saveSecret } from '../../foundation/secrets/secret-store.ts';

describeEachDatabase('orgctx connector record', (open) => {
  let database: TestDatabase;
  let scope: OrgScope;
  const folder = temporaryFolder();

  beforeEach(async () => {
    database = await open();
    scope = await seedOrganization(database, 'acme');
  });

  const draft = (kind = 'tracker', name = 'planning') =>
    createConnection({ database, clock: systemClock }, scope, { kind, name });
  const record = (...words: readonly string[]) =>
    runCli(['connector', 'record', ...words], { env: hostEnvironment(database), cwd: folder });

  it('says what a draft lacks, and leaves no empty file', async () => {
    const id = await draft();
    for (const given of ['planning', id, id.slice(0, 13)]) {
      const { code, stderr } = await record(given, '--entity', 'issue:I1');
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /Nothing was recorded, because planning made no call\. The setup of planning is not finished \(draft\)\. Go on: "orgctx connector resume planning"/,
      );
      expect(existsSync(join(folder, 'orgctx-trace.jsonl'))).toBe(false);
    }
  });

  it('leaves no empty file if the secrets of connections cannot be opened', async () => {
    const id = await draft();
    const keys = { connectionKey: 'y'.repeat(40), authSecret: undefined, formerConnectionKeys: [] };
    const keyring = await openKeyring(database, keys, systemClock);
    await saveSecret(database.queries, keyring, { connectionId: id, field: 'clientSecret' }, 'hush', 1);
    expect((await record(id)).stderr).toContain('CONNECTION_SECRETS_ENCRYPTION_KEY');
    expect(existsSync(join(folder, 'orgctx-trace.jsonl'))).toBe(false);
  });

  it('asks for an id if connections of several kinds or organizations have the name', async () => {
    const ids = [await draft(), await draft('oncall')];
    const { code, stderr } = await record('planning');
    expect(code).toBe(2);
    for (const id of ids) expect(stderr).toContain(`${id}  acme`);
  });

  it('refuses an unknown name and an existing file', async () => {
    expect(await record('unknown')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no connection "unknown"'),
    });
    await draft();
    expect(await record('planning', '--output', import.meta.filename)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists already'),
    });
  });
});
