import { expect, it } from 'vitest';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import { type ConnectionId, newId } from '../../../src/foundation/kernel/ids.ts';
import { openKeyring } from '../../../src/foundation/secrets/open-keyring.ts';
import { readSecret, saveSecret } from '../../../src/foundation/secrets/secret-store.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { orgctx } from '../../support/program/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [keyA, keyB, keyC] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
const places = ['clientSecret', 'webhookSecret'].map((field) => ({
  connectionId: newId<ConnectionId>(),
  field,
}));

describeEachDatabase('orgctx secrets rotate, as installed', (open) => {
  async function deployment(): Promise<TestDatabase> {
    const database = await open();
    const keys = { authSecret: keyA, connectionKey: undefined, formerConnectionKeys: [] };
    const keyring = await openKeyring(database, keys, clock);
    for (const place of places)
      await saveSecret(database.queries, keyring, place, `hush of ${place.field}`, 1);
    return database;
  }

  const run = (
    { options }: TestDatabase,
    env: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ) =>
    orgctx([...words, '--data-dir', temporaryFolder()], {
      env: { DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url, ...env },
    });

  it('encrypts with the new key and no longer needs the former one', async () => {
    const database = await deployment();
    const env = { AUTH_SECRET: keyC, CONNECTION_SECRETS_ENCRYPTION_KEY: keyB };
    const rotating = { ...env, CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS: keyA };
    const rotated = await run(database, rotating, 'secrets', 'rotate', '--json');
    expect([rotated.code, rotated.stderr, JSON.parse(rotated.stdout)]).toEqual([
      0,
      '',
      { rotated: 2, remaining: 0, keyId: expect.any(String) },
    ]);
    const keys = { authSecret: keyC, connectionKey: keyB, formerConnectionKeys: [] };
    const keyring = await openKeyring(database, keys, clock);
    for (const place of places) {
      expect(await readSecret(database.queries, keyring, place)).toBe(`hush of ${place.field}`);
    }
    const former = await run(database, { AUTH_SECRET: keyA }, 'worker');
    expect([former.code, former.stderr]).toEqual([
      3,
      expect.stringContaining('"Connection secrets" in docs/operations.md'),
    ]);
    expect(former.stderr).not.toContain('discard');
  });

  it('deletes unreadable secrets only with both flags, and logs what it deleted', async () => {
    const database = await deployment();
    const saved = () => database.queries.selectFrom('connection_secrets').selectAll().execute();
    const rows = await saved();
    const discard = ['secrets', 'rotate', '--discard-unreadable'];
    const refused = await run(database, { AUTH_SECRET: keyB }, ...discard);
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(await saved()).toEqual(rows);
    const confirmed = await run(database, { AUTH_SECRET: keyB }, ...discard, '--yes');
    expect([confirmed.code, confirmed.stdout]).toEqual([
      0,
      expect.stringMatching(/^No secret had to be encrypted again.* 2 secrets deleted\./),
    ]);
    const audit = confirmed.stderr.split('\n').find((line) => line.startsWith('{')) ?? '';
    const line = JSON.parse(audit) as { discarded: unknown[] };
    expect(line).toMatchObject({ audit: 'secrets.discarded' });
    expect(line.discarded).toHaveLength(2);
    expect(line.discarded).toEqual(expect.arrayContaining(places));
    expect(await saved()).toEqual([]);
  });
});
