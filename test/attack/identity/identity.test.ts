import { createHash } from 'node:crypto';
import { beforeEach, expect, it, vi } from 'vitest';
import { admitCaller } from '../../../src/features/identity/access/admit-caller.ts';
import type { Access } from '../../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { type Admitted, admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { createOneTimeLink } from '../../../src/features/identity/sign-in/one-time-link.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';

const clock = (): number => 1_800_000_000_000;
const password = 'correct horse battery';

describeEachDatabase('an attacker of the identity service', (open) => {
  let database: Database;
  let ada: Admitted;
  let mallory: Admitted;
  let adasKey: string;
  let mallorysKey: string;
  let link: string;

  beforeEach(async () => {
    database = await open();
    const { queries } = database;
    const host = { database, clock };
    ada = await admitUser(host, { email: 'ada@example.com', orgSlug: 'acme', password });
    mallory = await admitUser(host, { email: 'mallory@example.com', orgSlug: 'evil' });
    adasKey = (await createApiKey(queries, { userId: ada.user.id, name: 'a' }, clock)).apiKey;
    mallorysKey = (await createApiKey(queries, { userId: mallory.user.id, name: 'm' }, clock)).apiKey;
    link = (await createOneTimeLink(queries, { purpose: 'sign-in', userId: ada.user.id }, clock)).token;
  });

  const enter = async (authorization: string, slug?: string): Promise<Access> => {
    return admitCaller({ queries: database.queries, clock }, { authorization, orgSlug: slug, scope: 'mcp' });
  };

  const answer = (slug: string): Promise<unknown> =>
    enter(`Bearer ${mallorysKey}`, slug).catch((error: unknown) => error);

  const statements = async (slug: string): Promise<readonly string[]> => {
    const seen: string[] = [];
    const queries = database.queries.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        seen.push(`${result.rows.length} rows`);
        return Promise.resolve(result);
      },
    });
    const request = { authorization: `Bearer ${mallorysKey}`, orgSlug: slug, scope: 'mcp' } as const;
    await admitCaller({ queries, clock }, request).catch(() => undefined);
    return seen;
  };

  it('finds nothing in a dump of the database that gives access', async () => {
    const tables = ['users', 'memberships', 'api_keys', 'one_time_links'] as const;
    const dump = JSON.stringify(
      await Promise.all(tables.map((table) => database.queries.selectFrom(table).selectAll().execute())),
    );
    for (const secret of [adasKey, mallorysKey, link, password]) expect(dump).not.toContain(secret);
    const stolen = dump.match(/[\w$+/=.,-]{8,}/g) ?? [];
    expect(stolen.length).toBeGreaterThan(10);
    const opened = await Promise.allSettled(
      [...stolen, ...stolen.map((text) => `ock_${text}`)].map((text) => enter(`Bearer ${text}`, 'acme')),
    );
    expect(opened.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  });

  it('is refused with a key that is nearly right', async () => {
    const hash = createHash('sha256').update(adasKey).digest('hex');
    const near = [
      adasKey.slice(0, -1),
      `${adasKey}A`,
      `${adasKey}=`,
      adasKey.toUpperCase(),
      adasKey.replace('ock_', 'OCK_'),
      adasKey.slice(4),
      hash,
      `ock_${hash}`,
      `ock_${link}`,
      link,
    ];
    for (const token of near) {
      await expect(enter(`Bearer ${token}`, 'acme')).rejects.toEqual(
        expect.objectContaining({ status: 401, code: 'invalid_token' }),
      );
    }
    expect((await enter(`Bearer ${adasKey}`, 'acme')).role).toBe('owner');
  });

  it('cannot distinguish a foreign organization from one that does not exist', async () => {
    const foreign = await answer('acme');
    expect(foreign).toEqual(expect.objectContaining({ status: 403, code: 'forbidden' }));
    expect(await answer('acme-2')).toEqual(foreign);
    expect(JSON.stringify(foreign) + String(foreign)).not.toMatch(/acme/);
  });

  it('causes the same queries for foreign and for unknown organizations', async () => {
    // The first call also records that the key was used, which may end after its answer.
    await vi.waitFor(async () => expect(await statements('acme')).toEqual(await statements('acme')), 120_000);
    const foreign = await statements('acme');
    expect(foreign).not.toEqual([]);
    expect(await statements('nowhere')).toEqual(foreign);
  });
});
