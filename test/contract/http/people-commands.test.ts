import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../../support/http/http-server.ts';
import { runCli } from '../../support/program/command-line.ts';

describe('the commands for people and keys, against the service itself', () => {
  let database: TestDatabase;
  let http: TestHttp;
  let url: string;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestHttp(database);
    url = await http.server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await http?.server.close();
    await database?.close();
  });

  const run = (key: string, ...words: readonly string[]) =>
    runCli(words, { env: { ORGCTX_URL: url, ORGCTX_ORG: 'acme', ORGCTX_API_KEY: key } });

  async function jsonOf(...words: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await run(http.keys.owner, ...words, '--json');
    expect([words.join(' '), code, stderr]).toEqual([words.join(' '), 0, '']);
    return JSON.parse(stdout);
  }

  it('invite, list and revoke an invitation', async () => {
    const made = await jsonOf('invitation', 'add', 'Guest@example.com', '--role', 'admin');
    expect(made).toMatchObject({ email: 'guest@example.com', role: 'admin', link: expect.any(String) });
    expect(await jsonOf('invitation', 'list')).toMatchObject({ items: [{ email: 'guest@example.com' }] });
    expect(await jsonOf('invitation', 'remove', 'guest@example.com')).toMatchObject({ removed: true });
    expect((await run(http.keys.owner, 'invitation', 'list')).stderr).toContain('No invitation is open');
  });

  it('create a key that works, and revoke it', async () => {
    const { stdout } = await run(http.keys.owner, 'key', 'add', '--name', 'laptop', '--expires-in', '90d');
    const key = stdout.trim();
    const list = await run(key, 'key', 'list');
    expect(list.stdout).toContain('laptop');
    expect(list.stdout).not.toContain(key);
    await jsonOf('key', 'remove', key.slice(0, 12));
    expect((await run(key, 'key', 'list')).code).toBe(4);
  });

  it('change roles, remove members, and show all of it in the audit log', async () => {
    expect(await jsonOf('member', 'role', 'member@example.com', 'admin')).toMatchObject({ role: 'admin' });
    expect((await run(http.keys.member, 'audit')).code).toBe(0);
    expect(await jsonOf('member', 'remove', 'member@example.com')).toMatchObject({ removed: true });
    expect((await run(http.keys.member, 'key', 'list')).code).toBe(4);
    const { stdout } = await run(http.keys.owner, 'audit');
    for (const action of ['invitation.created', 'api-key.revoked', 'member.changed', 'member.removed']) {
      expect(stdout).toContain(action);
    }
    expect((await run(http.keys.owner, 'member', 'remove', 'owner@example.com')).stderr).toContain(
      'must keep at least one owner',
    );
    expect((await run(http.keys.owner, 'grant', 'list')).stderr).toContain('No client acts for you');
  });
});
