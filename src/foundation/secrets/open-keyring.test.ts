import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/databases.ts';
import { NotConfigured } from '../config/config-error.ts';
import { systemClock } from '../kernel/clock.ts';
import { type ConnectionId, newId } from '../kernel/ids.ts';
import type { KeySettings } from './ensure-keyring.ts';
import { openKeyring } from './open-keyring.ts';
import { readSecret, saveSecret } from './secret-store.ts';

const keyA = 'a'.repeat(40);
const keyB = 'b'.repeat(40);
const keyC = 'c'.repeat(40);
const place = { connectionId: newId<ConnectionId>(), field: 'clientSecret' };

interface Keys {
  readonly own?: string;
  readonly auth?: string;
  readonly former?: readonly string[];
}

const settingsOf = ({ own, auth, former = [] }: Keys) => ({
  connectionKey: own,
  authSecret: auth,
  formerConnectionKeys: former,
});

describeEachDatabase('opening the keyring', (open) => {
  type Opened = Awaited<ReturnType<typeof open>>;
  const ringOf = (database: Opened, keys: Keys) => openKeyring(database, settingsOf(keys), systemClock);

  /** A deployment with one saved secret. */
  async function deployment(keys: Keys): Promise<Opened> {
    const database = await open();
    const keyring = await ringOf(database, keys);
    await saveSecret(database.queries, keyring, place, 'hush', 1);
    return database;
  }

  it('makes the canary once and finds that it fits', async () => {
    const database = await open();
    const first = await ringOf(database, { auth: keyA });
    const rows = await database.queries.selectFrom('secret_keys').selectAll().execute();
    const again = await ringOf(database, { auth: keyA });
    expect([first.canary, again.canary, again.keyId]).toEqual(['current', 'current', first.keyId]);
    expect(await database.queries.selectFrom('secret_keys').selectAll().execute()).toEqual(rows);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(keyA);
  });

  it('gives all processes that start at once the same keys', async () => {
    const database = await open();
    const keys = settingsOf({ auth: keyA });
    const starting = [1, 2, 3, 4].map(() => startOpening(database, keys));
    for (const one of starting) expect(await one.line()).toBe('ready');
    for (const one of starting) one.go();
    const opened = await Promise.all(starting.map(async (one) => JSON.parse(await one.line()) as unknown));
    const { keyId } = await openKeyring(database, keys, systemClock);
    expect(opened).toEqual(opened.map(() => ({ keyId, canary: 'current' })));
  }, 60_000);

  it('gives two deployments with one AUTH_SECRET different keys', async () => {
    const [one, two] = [await open(), await open()];
    expect((await ringOf(one, { auth: keyA })).keyId).not.toBe((await ringOf(two, { auth: keyA })).keyId);
  });

  it('reads with AUTH_SECRET once CONNECTION_SECRETS_ENCRYPTION_KEY seals, and says that rotation is due', async () => {
    const database = await deployment({ auth: keyA });
    const keyring = await ringOf(database, { own: keyB, auth: keyA });
    expect(keyring.canary).toBe('former');
    expect(await readSecret(database.queries, keyring, place)).toBe('hush');
  });

  it('reads with a listed former key', async () => {
    const database = await deployment({ own: keyA, auth: keyC });
    const keyring = await ringOf(database, { own: keyB, auth: keyC, former: [keyA] });
    expect([keyring.canary, keyring.unreadable]).toEqual(['former', 0]);
    expect(await readSecret(database.queries, keyring, place)).toBe('hush');
  });

  it('refuses to start where secrets are saved that no key opens, and names the settings', async () => {
    const database = await deployment({ auth: keyA });
    const failure = ringOf(database, { auth: keyB, former: [keyC] });
    await expect(failure).rejects.toThrow(NotConfigured);
    await expect(failure).rejects.toThrow(
      /CONNECTION_SECRETS_ENCRYPTION_KEY .*AUTH_SECRET.*CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS.*README/,
    );
    await expect(failure).rejects.not.toThrow(/discard/);
    expect((await ringOf(database, { auth: keyA })).canary).toBe('current');
  });

  it('takes another key where nothing is saved yet', async () => {
    const database = await open();
    await ringOf(database, { auth: keyA });
    expect((await ringOf(database, { auth: keyB })).canary).toBe('renewed');
    expect((await ringOf(database, { auth: keyB })).canary).toBe('current');
  });

  it('takes the side of the saved secrets when a canary was made by a stray process', async () => {
    const database = await open();
    const keyring = await ringOf(database, { auth: keyA });
    await ringOf(database, { auth: keyB });
    await saveSecret(database.queries, keyring, place, 'hush', 1);
    expect(await ringOf(database, { auth: keyB })).toMatchObject({ canary: 'current', unreadable: 1 });
    expect((await ringOf(database, { auth: keyA })).canary).toBe('renewed');
    await expect(ringOf(database, { auth: keyB })).rejects.toThrow(NotConfigured);
  });

  it('needs a key at all', async () => {
    await expect(ringOf(await open(), {})).rejects.toThrow(NotConfigured);
  });
});

/** A process that waits to be told, so that several open the keys of one deployment in the same moment. */
function startOpening({ options }: TestDatabase, keys: KeySettings) {
  const program = join(import.meta.dirname, '../../../test/support/open-keyring-once.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(options), JSON.stringify(keys)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async (): Promise<string> => String((await lines.next()).value),
    go: () => child.stdin.end('go'),
  };
}
