import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NotConfigured } from '../../src/foundation/config/config-error.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { systemClock as clock } from '../../src/foundation/kernel/clock.ts';
import type { Keyring } from '../../src/foundation/secrets/keyring.ts';
import { type KeySettings, openKeyring } from '../../src/foundation/secrets/open-keyring.ts';
import { rotateSecrets } from '../../src/foundation/secrets/rotate-secrets.ts';
import { readSecret, removeSecrets, saveSecret } from '../../src/foundation/secrets/secret-store.ts';
import { runCli } from '../support/command-line.ts';
import { describeEachDatabase, type TestDatabase } from '../support/databases.ts';
import { killAtEachWrite } from '../support/run-killed.ts';

const [keyA, keyB, keyC] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];
const settingsOf = (own: string | undefined, auth: string, former: readonly string[] = []): KeySettings => ({
  connectionKey: own,
  authSecret: auth,
  formerConnectionKeys: former,
});
const before = settingsOf(undefined, keyA);
const after = settingsOf(keyB, keyA);
/** AUTH_SECRET always reads, so only another one shows that nothing needs the former key any more. */
const alone = settingsOf(keyB, keyC);

const program = join(import.meta.dirname, '../support/rotate-once.ts');

const placeOf = (number: number) => ({ connectionId: `connection-${number}`, field: 'clientSecret' });
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

  it('seals every secret with the current key, the canary last, and has nothing to do again', async () => {
    const database = await deployment(7);
    const { keyId } = await openKeyring(database, after, clock);
    const rotate = () => rotateSecrets({ database, clock, sliceSize: 3 }, after);
    expect(await rotate()).toEqual({ rotated: 7, remaining: 0, keyId, unreadable: [], discarded: 0 });
    expect(await rotate()).toMatchObject({ rotated: 0, remaining: 0 });
    const keyring = await openKeyring(database, alone, clock);
    expect([keyring.canary, keyring.unreadable]).toEqual(['current', 0]);
    expect(await readAll(database, keyring, 7)).toEqual(allOf(7));
    await expect(openKeyring(database, before, clock)).rejects.toThrow(NotConfigured);
  });

  it('can be killed between any two writes: each secret stays readable, and the next run ends the work', async () => {
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
        // A process without the former key is refused for as long as one secret has it, and no longer.
        const others = await database.queries
          .selectFrom('connection_secrets')
          .where('key_id', '!=', keyring.keyId)
          .select('field')
          .execute();
        const newKeyAlone = openKeyring(database, alone, clock);
        if (others.length > 0) await expect(newKeyAlone).rejects.toThrow(NotConfigured);
        else expect((await newKeyAlone).unreadable).toBe(0);
        await rotateSecrets({ database, clock }, after);
        expect(await readAll(database, await openKeyring(database, alone, clock), 3)).toEqual(allOf(3));
      },
    );
    // Two slices of begin, updates and commit, and the canary.
    expect(count).toBeGreaterThanOrEqual(8);
  }, 120_000);

  it('loses nothing that running processes save and delete meanwhile', async () => {
    const database = await deployment(40);
    const old = await openKeyring(database, before, clock);
    const changes = async (): Promise<void> => {
      for (let number = 0; number < 40; number += 4) {
        await saveSecret(database.queries, old, placeOf(number), `newer ${number}`, 2);
        await removeSecrets(database.queries, placeOf(number + 1).connectionId);
      }
    };
    const [rotation] = await Promise.all([
      rotateSecrets({ database, clock, sliceSize: 2 }, after),
      changes(),
    ]);
    expect(rotation.unreadable).toEqual([]);
    expect(await rotateSecrets({ database, clock }, after)).toMatchObject({ remaining: 0 });
    const read = await readAll(database, await openKeyring(database, alone, clock), 40);
    const expected = allOf(40).map((text, number) =>
      number % 4 === 0 ? `newer ${number}` : number % 4 === 1 ? undefined : text,
    );
    expect(read).toEqual(expected);
  });

  it('leaves a secret that changed since it was read to whoever changed it', async () => {
    const database = await deployment(2);
    const old = await openKeyring(database, before, clock);
    const racing: Database = {
      ...database,
      transaction: async (work) => {
        await saveSecret(database.queries, old, placeOf(0), 'newer', 2);
        return database.transaction(work);
      },
    };
    await rotateSecrets({ database: racing, clock, sliceSize: 2 }, after);
    const keyring = await openKeyring(database, after, clock);
    expect(await readAll(database, keyring, 2)).toEqual(['newer', textOf(1)]);
  });

  it('goes round what it cannot read, names it, and leaves it as it is', async () => {
    const database = await deployment(3);
    await corrupt(database, 1);
    const stored = () =>
      database.queries.selectFrom('connection_secrets').selectAll().orderBy('connection_id').execute();
    const [, damaged] = await stored();
    const rotation = await rotateSecrets({ database, clock, sliceSize: 1 }, after);
    expect(rotation).toMatchObject({
      rotated: 2,
      remaining: 1,
      unreadable: [{ ...placeOf(1), reason: 'tampered' }],
    });
    expect((await stored())[1]).toEqual(damaged);
  });

  describe('orgctx secrets rotate', () => {
    const rotate = (
      database: TestDatabase,
      env: Readonly<Record<string, string>>,
      ...words: readonly string[]
    ) => {
      const { options } = database;
      const url = options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url;
      return runCli(['secrets', 'rotate', '--json', ...words], { env: { DATABASE_URL: url, ...env } });
    };
    const rotating = { AUTH_SECRET: keyC, CONNECTION_SECRETS_ENCRYPTION_KEY: keyB };

    it('prints what it did', async () => {
      const database = await deployment(3);
      const outcome = await rotate(database, {
        ...rotating,
        CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS: `${keyC},${keyA}`,
      });
      expect([outcome.code, outcome.stderr]).toEqual([0, '']);
      const { keyId } = await openKeyring(database, alone, clock);
      expect(JSON.parse(outcome.stdout)).toEqual({ rotated: 3, remaining: 0, keyId });
    });

    it('fails where a secret cannot be read, naming connection and field and no value', async () => {
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

    it('refuses with exit code 3 where no key fits, and changes nothing', async () => {
      const database = await deployment(1);
      const outcome = await rotate(database, rotating);
      expect([outcome.code, outcome.stdout]).toEqual([3, '']);
      expect(outcome.stderr).toMatch(/CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS/);
      expect((await openKeyring(database, before, clock)).unreadable).toBe(0);
    });

    it('gives up what a lost key sealed only when it is told to, so that the service starts again', async () => {
      const database = await deployment(2);
      const outcome = await rotate(database, rotating, '--discard-unreadable');
      expect([outcome.code, JSON.parse(outcome.stdout)]).toEqual([
        0,
        expect.objectContaining({ rotated: 0, remaining: 0, discarded: 2 }),
      ]);
      const keyring = await openKeyring(database, alone, clock);
      expect([keyring.canary, await readAll(database, keyring, 2)]).toEqual([
        'current',
        [undefined, undefined],
      ]);
    });
  });
});
