import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
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

describeEachDatabase('openKeyring', (open) => {
  type Opened = Awaited<ReturnType<typeof open>>;
  const ringOf = (database: Opened, keys: Keys) => openKeyring(database, settingsOf(keys), systemClock);

  /** A deployment with one saved secret. */
  async function deployment(keys: Keys): Promise<Opened> {
    const database = await open();
    const keyring = await ringOf(database, keys);
    await saveSecret(database.queries, keyring, place, 'hush', 1);
    return database;
  }

  it('creates the canary once and matches it afterwards', async () => {
    const database = await open();
    const first = await ringOf(database, { auth: keyA });
    const rows = await database.queries.selectFrom('secret_keys').selectAll().execute();
    const again = await ringOf(database, { auth: keyA });
    expect([first.canary, again.canary, again.keyId]).toEqual(['current', 'current', first.keyId]);
    expect(await database.queries.selectFrom('secret_keys').selectAll().execute()).toEqual(rows);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(keyA);
  });

  it('opens the same keys in all processes that start concurrently', async () => {
    const database = await open();
    const keys = settingsOf({ auth: keyA });
    const starting = [1, 2, 3, 4].map(() => startOpening(database, keys));
    for (const one of starting) expect(await one.line()).toBe('ready');
    for (const one of starting) one.go();
    const opened = await Promise.all(starting.map(async (one) => JSON.parse(await one.line()) as unknown));
    const { keyId } = await openKeyring(database, keys, systemClock);
    expect(opened).toEqual(opened.map(() => ({ keyId, canary: 'current' })));
  });

  it('derives different keys for two deployments with the same AUTH_SECRET', async () => {
    const [one, two] = [await open(), await open()];
    expect((await ringOf(one, { auth: keyA })).keyId).not.toBe((await ringOf(two, { auth: keyA })).keyId);
  });

  it('opens with AUTH_SECRET after CONNECTION_SECRETS_ENCRYPTION_KEY was added, and reports that rotation is due', async () => {
    const database = await deployment({ auth: keyA });
    const keyring = await ringOf(database, { own: keyB, auth: keyA });
    expect(keyring.canary).toBe('former');
    expect(await readSecret(database.queries, keyring, place)).toBe('hush');
  });

  it('opens with a listed former key', async () => {
    const database = await deployment({ own: keyA, auth: keyC });
    const keyring = await ringOf(database, { own: keyB, auth: keyC, former: [keyA] });
    expect([keyring.canary, keyring.unreadable]).toEqual(['former', 0]);
    expect(await readSecret(database.queries, keyring, place)).toBe('hush');
  });

  it('refuses to start if no key opens the stored secrets, and names the settings', async () => {
    const database = await deployment({ auth: keyA });
    const failure = ringOf(database, { auth: keyB, former: [keyC] });
    await expect(failure).rejects.toThrow(NotConfigured);
    await expect(failure).rejects.toThrow(
      /CONNECTION_SECRETS_ENCRYPTION_KEY .*AUTH_SECRET.*CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS.*docs\/operations\.md/,
    );
    await expect(failure).rejects.not.toThrow(/discard/);
    expect((await ringOf(database, { auth: keyA })).canary).toBe('current');
  });

  it('accepts another key while no secret is stored', async () => {
    const database = await open();
    await ringOf(database, { auth: keyA });
    expect((await ringOf(database, { auth: keyB })).canary).toBe('renewed');
    expect((await ringOf(database, { auth: keyB })).canary).toBe('current');
  });

  it('prefers the key of the stored secrets over a canary from a misconfigured process', async () => {
    const database = await open();
    const keyring = await ringOf(database, { auth: keyA });
    await ringOf(database, { auth: keyB });
    await saveSecret(database.queries, keyring, place, 'hush', 1);
    expect(await ringOf(database, { auth: keyB })).toMatchObject({ canary: 'current', unreadable: 1 });
    expect((await ringOf(database, { auth: keyA })).canary).toBe('renewed');
    await expect(ringOf(database, { auth: keyB })).rejects.toThrow(NotConfigured);
  });

  it('requires a key', async () => {
    await expect(ringOf(await open(), {})).rejects.toThrow(NotConfigured);
  });
});

/** Starts a process that waits for a signal, so that several open the keys of one deployment at the same time. */
function startOpening({ options }: TestDatabase, keys: KeySettings) {
  const program = join(import.meta.dirname, '../../../test/support/database/open-keyring-once.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(options), JSON.stringify(keys)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async (): Promise<string> => String((await lines.next()).value),
    go: () => child.stdin.end('go'),
  };
}
