import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NotConfigured } from '../../../src/foundation/config/config-error.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import { discardSecrets, type RecordSecrets } from '../../../src/foundation/secrets/discard-secrets.ts';
import { ensureKeyring, type KeySettings } from '../../../src/foundation/secrets/ensure-keyring.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import { openKeyring } from '../../../src/foundation/secrets/open-keyring.ts';
import { rotateSecrets } from '../../../src/foundation/secrets/rotate-secrets.ts';
import { checkSecrets } from '../../../src/foundation/secrets/sealed-secrets.ts';
import { readSecret, removeSecrets, saveSecret } from '../../../src/foundation/secrets/secret-store.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { killAtEachWrite } from '../../support/kill/run-killed.ts';
import { runCli } from '../../support/program/command-line.ts';

const [keyA, keyB, keyC] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
const settingsOf = (own: string | undefined, auth: string, former: readonly string[] = []): KeySettings => ({
  connectionKey: own,
  authSecret: auth,
  formerConnectionKeys: former,
});
const before = settingsOf(undefined, keyA);
const after = settingsOf(keyB, keyA);
/** AUTH_SECRET can always decrypt, so only another AUTH_SECRET shows that nothing needs the previous key any more. */
const alone = settingsOf(keyB, keyC);

const program = join(import.meta.dirname, '../../support/database/rotate-once.ts');

const placeOf = (number: number) => ({
  connectionId: `connection-${number}` as ConnectionId,
  field: 'clientSecret',
});
const textOf = (number: number): string => `hush ${number}`;

async function seed({ queries }: Database, keyring: Keyring, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await saveSecret(queries, keyring, placeOf(number), textOf(number), 1);
  }
}

async function readAll({ queries }: Database, keyring: Keyring, count: number): Promise<unknown[]> {
  const read = [];
  for (let number = 0; number < count; number += 1)
    read.push(await readSecret(queries, keyring, placeOf(number)));
  return read;
}

const allOf = (count: number): string[] => Array.from({ length: count }, (_, number) => textOf(number));

const rotateWith = async (deps: { readonly database: Database; readonly sliceSize?: number }) =>
  rotateSecrets({ clock, ...deps }, await ensureKeyring(deps.database.queries, after, clock));

const corrupt = ({ queries }: Database, number: number) =>
  queries
    .updateTable('connection_secrets')
    .set((e) => ({ envelope: e.fn('replace', ['envelope', e.val('.'), e.val('.A')]) }))
    .where('connection_id', '=', placeOf(number).connectionId)
    .execute();

describeEachDatabase('rotating the key of connection secrets', (open) => {
  async function deployment(count: number): Promise<TestDatabase> {
    const database = await open();
    await seed(database, await openKeyring(database, before, clock), count);
    return database;
  }

  it('encrypts every secret with the current key, the canary last, and then has nothing left to do', async () => {
    const database = await deployment(7);
    const { keyId } = await openKeyring(database, after, clock);
    const rotate = () => rotateWith({ database, sliceSize: 3 });
    expect(await rotate()).toEqual({ rotated: 7, remaining: 0, keyId, unreadable: [] });
    expect(await rotate()).toMatchObject({ rotated: 0, remaining: 0 });
    const keyring = await openKeyring(database, alone, clock);
    expect([keyring.canary, keyring.unreadable]).toEqual(['current', 0]);
    expect(await readAll(database, keyring, 7)).toEqual(allOf(7));
    await expect(openKeyring(database, before, clock)).rejects.toThrow(NotConfigured);
  });

  it('can be killed between any two writes: each secret stays readable, and the next run completes the work', async () => {
    const count = await killAtEachWrite(
      async () => {
        const database = await deployment(3);
        return {
          state: database,
          program: [program, JSON.stringify(database.options), JSON.stringify(after)],
        };
      },
      async (database) => {
        const keyring = await openKeyring(database, after, clock);
        expect(await readAll(database, keyring, 3)).toEqual(allOf(3));
        // A process without the previous key is refused exactly while a secret uses that key.
        const others = await database.queries
          .selectFrom('connection_secrets')
          .where('key_id', '!=', keyring.keyId)
          .select('field')
          .execute();
        const newKeyAlone = openKeyring(database, alone, clock);
        if (others.length > 0) await expect(newKeyAlone).rejects.toThrow(NotConfigured);
        else expect((await newKeyAlone).unreadable).toBe(0);
        await rotateWith({ database });
        expect(await readAll(database, await openKeyring(database, alone, clock), 3)).toEqual(allOf(3));
      },
    );
    // Two batches of begin, update and commit, and the canary.
    expect(count).toBeGreaterThanOrEqual(7);
  });

  it('loses nothing that running processes save and delete in the meantime', async () => {
    const database = await deployment(40);
    const old = await openKeyring(database, before, clock);
    const changes = async (): Promise<void> => {
      for (let number = 0; number < 40; number += 4) {
        await saveSecret(database.queries, old, placeOf(number), `newer ${number}`, 2);
        await removeSecrets(database.queries, placeOf(number + 1).connectionId);
      }
    };
    const [rotation] = await Promise.all([rotateWith({ database, sliceSize: 2 }), changes()]);
    expect(rotation.unreadable).toEqual([]);
    expect(await rotateWith({ database })).toMatchObject({ remaining: 0 });
    const read = await readAll(database, await openKeyring(database, alone, clock), 40);
    const expected = allOf(40).map((text, number) =>
      number % 4 === 0 ? `newer ${number}` : number % 4 === 1 ? undefined : text,
    );
    expect(read).toEqual(expected);
  });

  it('does not overwrite a secret that changed since it was read', async () => {
    const database = await deployment(2);
    const old = await openKeyring(database, before, clock);
    const racing: Database = {
      ...database,
      transaction: async (work) => {
        await saveSecret(database.queries, old, placeOf(0), 'newer', 2);
        return database.transaction(work);
      },
    };
    await rotateWith({ database: racing, sliceSize: 2 });
    const keyring = await openKeyring(database, after, clock);
    expect(await readAll(database, keyring, 2)).toEqual(['newer', textOf(1)]);
  });

  it('skips what it cannot decrypt, names it, and leaves it unchanged', async () => {
    const database = await deployment(3);
    await corrupt(database, 1);
    const stored = () =>
      database.queries.selectFrom('connection_secrets').selectAll().orderBy('connection_id').execute();
    const [, damaged] = await stored();
    const rotation = await rotateWith({ database, sliceSize: 1 });
    expect(rotation).toMatchObject({
      rotated: 2,
      remaining: 1,
      unreadable: [{ ...placeOf(1), reason: 'tampered' }],
    });
    expect((await stored())[1]).toEqual(damaged);
  });

  describe('orgctx secrets rotate', () => {
    const environment = (
      { options }: TestDatabase,
      env: Readonly<Record<string, string>>,
    ): Record<string, string> => ({
      DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url,
      ...env,
    });
    const rotate = (
      database: TestDatabase,
      env: Readonly<Record<string, string>>,
      ...words: readonly string[]
    ) => runCli(['secrets', 'rotate', '--json', ...words], { env: environment(database, env) });
    /** Types a line when asked, like a person at a terminal. */
    const rotateByHand = (
      database: TestDatabase,
      env: Readonly<Record<string, string>>,
      typed: string,
      ...words: readonly string[]
    ) => runCli(['secrets', 'rotate', ...words], { env: environment(database, env), terminal: true, typed });
    const savedRows = ({ queries }: Database) =>
      queries.selectFrom('connection_secrets').selectAll().orderBy('connection_id').execute();
    const rotating = { AUTH_SECRET: keyC, CONNECTION_SECRETS_ENCRYPTION_KEY: keyB };

    it('prints the result', async () => {
      const database = await deployment(3);
      const outcome = await rotate(database, {
        ...rotating,
        CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS: `${keyC},${keyA}`,
      });
      expect([outcome.code, outcome.stderr]).toEqual([0, '']);
      const { keyId } = await openKeyring(database, alone, clock);
      expect(JSON.parse(outcome.stdout)).toEqual({ rotated: 3, remaining: 0, keyId });
    });

    it('fails when a secret cannot be decrypted, naming connection and field but no value', async () => {
      const database = await deployment(2);
      await corrupt(database, 0);
      const outcome = await rotate(database, { ...rotating, AUTH_SECRET: keyA });
      expect([outcome.code, JSON.parse(outcome.stdout)]).toEqual([
        1,
        expect.objectContaining({ rotated: 1, remaining: 1 }),
      ]);
      expect(outcome.stderr).toMatch(/clientSecret of connection connection-0: it is damaged/);
      expect(outcome.stdout + outcome.stderr).not.toMatch(/hush|aaaa|bbbb/);
    });

    it('refuses with exit code 3 when no key matches, and changes nothing', async () => {
      const database = await deployment(1);
      const outcome = await rotate(database, rotating);
      expect([outcome.code, outcome.stdout]).toEqual([3, '']);
      expect(outcome.stderr).toMatch(/CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS/);
      expect((await openKeyring(database, before, clock)).unreadable).toBe(0);
    });

    it('discards the secrets of a lost key on request, so that the service starts again', async () => {
      const database = await deployment(2);
      const outcome = await rotate(database, rotating, '--discard-unreadable', '--yes');
      expect([outcome.code, JSON.parse(outcome.stdout)]).toEqual([
        0,
        expect.objectContaining({ rotated: 0, remaining: 0, discarded: 2 }),
      ]);
      expect(outcome.stderr).toContain(
        'Discarding all 2 saved secrets (2 connections connection-0, connection-1)',
      );
      const keyring = await openKeyring(database, alone, clock);
      expect([keyring.canary, await readAll(database, keyring, 2)]).toEqual([
        'current',
        [undefined, undefined],
      ]);
      const audited = await database.queries
        .selectFrom('audit_events')
        .select(['action', 'details'])
        .execute();
      expect(audited.map(({ action }) => action).toSorted()).toEqual([
        'secrets.discarded',
        'secrets.rotated',
      ]);
    });

    it('discards nothing while no secret can be decrypted, unless --yes is given: a prompt is not enough', async () => {
      const database = await deployment(2);
      const rows = await savedRows(database);
      for (const outcome of [
        await rotate(database, rotating, '--discard-unreadable'),
        await rotateByHand(database, rotating, 'y', '--discard-unreadable'),
      ]) {
        expect([outcome.code, outcome.stdout]).toEqual([2, '']);
        expect(outcome.stderr).toMatch(
          /None of the saved .* all 2 saved secrets .* without the service's settings/s,
        );
        expect(outcome.stderr).not.toContain('[y/N]');
      }
      expect(await savedRows(database)).toEqual(rows);
      expect((await openKeyring(database, before, clock)).canary).toBe('current');
    });

    it('asks before it deletes secrets, with their number and connections, and changes nothing without a yes', async () => {
      const database = await deployment(3);
      await corrupt(database, 1);
      const rows = await savedRows(database);
      const env = { ...rotating, AUTH_SECRET: keyA };
      const unasked = await rotate(database, env, '--discard-unreadable');
      expect([unasked.code, unasked.stdout]).toEqual([2, '']);
      const no = await rotateByHand(database, env, 'n', '--discard-unreadable');
      expect(no.code).toBe(2);
      for (const { stderr } of [unasked, no]) {
        expect(stderr).toContain('1 of 3 saved secrets (connection connection-1)');
        expect(stderr).toContain('nothing was changed');
      }
      expect(await savedRows(database)).toEqual(rows);
      const yes = await rotateByHand(database, env, 'y', '--discard-unreadable');
      expect([yes.code, yes.stderr]).toEqual([0, expect.stringMatching(/Permanently delete .*\? \[y\/N\]/)]);
      expect(yes.stdout).toMatch(/^2 secrets encrypted again with the current key .* 1 secret deleted\./);
      const keyring = await openKeyring(database, alone, clock);
      expect(await readAll(database, keyring, 3)).toEqual([textOf(0), undefined, textOf(2)]);
    });

    it('asks nothing when everything can be decrypted', async () => {
      const database = await deployment(1);
      const outcome = await rotate(database, { ...rotating, AUTH_SECRET: keyA }, '--discard-unreadable');
      expect([outcome.code, JSON.parse(outcome.stdout)]).toEqual([
        0,
        expect.objectContaining({ rotated: 1, remaining: 0, discarded: 0 }),
      ]);
    });
  });

  it('discards no secret without a record of it', async () => {
    const database = await deployment(2);
    const keyring = await ensureKeyring(database.queries, alone, clock);
    const { unreadable } = await checkSecrets(database.queries, keyring);
    const failing = discardSecrets(database, unreadable, () => Promise.reject(new Error('no record')));
    await expect(failing.next()).rejects.toThrow('no record');
    expect((await checkSecrets(database.queries, keyring)).unreadable).toHaveLength(2);
  });

  it('discards no secret that was saved again since it was read', async () => {
    const database = await deployment(2);
    const keyring = await ensureKeyring(database.queries, alone, clock);
    const { unreadable } = await checkSecrets(database.queries, keyring);
    await saveSecret(database.queries, keyring, placeOf(0), 'newer', 2);
    const discarded = [];
    const recorded: unknown[] = [];
    const record: RecordSecrets = async (_tx, places) => void recorded.push(...places);
    for await (const places of discardSecrets(database, unreadable, record)) discarded.push(...places);
    expect([discarded, recorded]).toEqual([[placeOf(1)], [placeOf(1)]]);
    expect(await readAll(database, keyring, 2)).toEqual(['newer', undefined]);
  });
});
