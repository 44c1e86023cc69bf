import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { createOneTimeLink, inspectOneTimeLink, oneTimeLinkUrl } from './one-time-link.ts';

describeEachDatabase('one-time links', (open) => {
  let database: Database;
  let now: number;
  const clock = (): number => now;
  const inspect = async (token: string): Promise<string> =>
    (await inspectOneTimeLink(database.queries, token, clock)).state;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('one_time_links').execute();
    now = 1_800_000_000_000;
  });

  it('are valid for 30 minutes and are not consumed by inspection', async () => {
    const link = await createOneTimeLink(database.queries, { purpose: 'bootstrap' }, clock);
    expect(link.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    now = link.expiresAt - 1;
    expect(await inspect(link.token)).toBe('valid');
    expect(await inspect(link.token)).toBe('valid');
    now = link.expiresAt;
    expect(await inspect(link.token)).toBe('expired');
    expect(link.expiresAt).toBe(1_800_000_000_000 + 30 * 60_000);
  });

  it('are reported as used', async () => {
    const { token } = await createOneTimeLink(database.queries, { purpose: 'bootstrap' }, clock);
    await database.queries.updateTable('one_time_links').set({ used_at: now }).execute();
    expect(await inspect(token)).toBe('used');
  });

  it.each(['', 'nonsense', 'a\u0000b', '../..'])('are unknown when the token is %j', async (token) => {
    expect(await inspect(token)).toBe('unknown');
  });

  it('are stored only as a hash', async () => {
    const { token } = await createOneTimeLink(database.queries, { purpose: 'bootstrap' }, clock);
    const rows = await database.queries.selectFrom('one_time_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('have a URL below the sign-in pages', () => {
    expect(oneTimeLinkUrl('https://ctx.example.com', 'abc')).toBe('https://ctx.example.com/.auth/link/abc');
  });
});
