import { afterEach, describe, expect, it } from 'vitest';
import {
  runCli,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../../test/support/command-line.ts';

const base = '/acme/api/v1';
const ada = { userId: '01-ada', email: 'ada@example.com', role: 'owner', disabled: false };
const bob = { userId: '01-bob', email: 'bob@example.com', role: 'member', disabled: true };
const invitation = {
  id: '01-inv',
  email: 'cy@example.com',
  role: 'admin',
  expiresAt: '2026-11-28T00:00:00.000Z',
};
const key = {
  id: '01-key',
  prefix: 'ock_abcdefgh',
  name: 'laptop',
  lastUsedAt: null,
  expiresAt: '2027-02-19T00:00:00.000Z',
};
const grant = {
  id: 'g-1',
  client: { id: 'c', name: 'Editor\u001b[31m' },
  organization: { slug: 'acme', name: 'Acme' },
  scopes: ['mcp', 'api'],
  lastUsedAt: '2026-11-21T00:00:00.000Z',
};
const event = {
  id: '01-e',
  at: '2026-11-21T00:00:00.000Z',
  actor: { kind: 'user', email: 'ada@example.com' },
  action: 'member.removed',
  target: '01-bob',
  details: { role: 'member' },
};

let service: StandInService;
afterEach(() => service.close());

/** Answers by method and path; everything else is the 404 of the service. */
async function serve(answers: Readonly<Record<string, StandInAnswer>>): Promise<void> {
  const missing = { title: 'Not Found', code: 'not_found', detail: 'There is no such thing.' };
  service = await standInService(
    ({ method, url }) => answers[`${method} ${url}`] ?? { status: 404, body: missing },
  );
}

function run(...words: readonly string[]) {
  const env = { ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme', ORGCTX_URL: service.url };
  return runCli(words, { env });
}

const page = (items: readonly unknown[], nextCursor: string | null = null) => ({
  body: { items, nextCursor },
});
const asked = () => service.seen.map(({ method, url }) => `${method} ${url.replace(base, '')}`);

describe('orgctx member', () => {
  it('lists who is in the organization, a line each, and names the next page', async () => {
    await serve({ [`GET ${base}/members?limit=2&cursor=c1`]: page([ada, bob], 'c2') });
    const { code, stdout, stderr } = await run('member', 'list', '--limit', '2', '--cursor', 'c1');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'ada@example.com  owner   01-ada\n' + //
        'bob@example.com  member  01-bob  disabled\n',
      stderr: 'There are more: --cursor c2\n',
    });
  });

  it('changes a role by e-mail, whatever its case, looking through all pages', async () => {
    await serve({
      [`GET ${base}/members?limit=200`]: page([ada], 'c2'),
      [`GET ${base}/members?limit=200&cursor=c2`]: page([bob]),
      [`PUT ${base}/members/01-bob`]: { body: { ...bob, role: 'admin' } },
    });
    const { stdout } = await run('member', 'role', 'Bob@Example.com', 'admin');
    expect(stdout).toBe('bob@example.com is now admin of acme.\n');
    expect(service.seen.at(-1)?.body).toEqual({ role: 'admin' });
  });

  it('takes no role that there is not', async () => {
    await serve({});
    const { code, stderr } = await run('member', 'role', 'bob@example.com', 'king');
    expect(code).toBe(2);
    expect(stderr).toContain('must be one of owner, admin, member');
    expect(service.seen).toEqual([]);
  });

  it('removes a member by id and says so', async () => {
    await serve({
      [`GET ${base}/members?limit=200`]: page([ada, bob]),
      [`DELETE ${base}/members/01-bob`]: { status: 204, body: '' },
    });
    const { stdout } = await run('member', 'remove', '01-bob', '--json');
    expect(JSON.parse(stdout)).toEqual({ userId: '01-bob', email: 'bob@example.com', removed: true });
  });

  it('tells why the last owner stays', async () => {
    const detail = 'The last owner of an organization stays: make someone else an owner first.';
    await serve({
      [`GET ${base}/members?limit=200`]: page([ada]),
      [`DELETE ${base}/members/01-ada`]: {
        status: 409,
        body: { title: 'Conflict', code: 'conflict', detail },
      },
    });
    const { code, stderr } = await run('member', 'remove', 'ada@example.com');
    expect(code).toBe(1);
    expect(stderr).toContain(detail);
  });

  it('names the list when there is no such member', async () => {
    await serve({ [`GET ${base}/members?limit=200`]: page([ada]) });
    const { code, stderr } = await run('member', 'remove', 'nobody@example.com');
    expect(code).toBe(1);
    expect(stderr).toContain('"nobody@example.com" is not a member of acme. See: orgctx member list');
    expect(asked()).toEqual(['GET /members?limit=200']);
  });
});

describe('orgctx invitation', () => {
  const link = 'https://ctx.example/.auth/invitation/hush';

  it('prints the link alone on stdout, and for whom it is on stderr', async () => {
    await serve({ [`POST ${base}/invitations`]: { status: 201, body: { ...invitation, link } } });
    const { stdout, stderr } = await run('invitation', 'add', 'cy@example.com', '--role', 'admin');
    expect(stdout).toBe(`${link}\n`);
    expect(stderr).toContain('For cy@example.com, as admin, until 2026-11-28T00:00:00.000Z');
    expect(service.seen[0]?.body).toEqual({ email: 'cy@example.com', role: 'admin' });
  });

  it('invites as a member unless told otherwise', async () => {
    await serve({ [`POST ${base}/invitations`]: { status: 201, body: { ...invitation, link } } });
    const { stdout, stderr } = await run('invitation', 'add', 'cy@example.com', '--json');
    expect(service.seen[0]?.body).toEqual({ email: 'cy@example.com', role: 'member' });
    expect([JSON.parse(stdout), stderr]).toEqual([{ ...invitation, link }, '']);
  });

  it('lists what is open, or says how to invite', async () => {
    await serve({ [`GET ${base}/invitations`]: page([invitation]) });
    expect((await run('invitation', 'list')).stdout).toBe(
      'cy@example.com  admin  01-inv  until 2026-11-28T00:00:00.000Z\n',
    );
    await service.close();
    await serve({ [`GET ${base}/invitations`]: page([]) });
    const { stdout, stderr } = await run('invitation', 'list');
    expect([stdout, stderr]).toEqual([
      '',
      'No invitation is open. Invite someone: orgctx invitation add <email>\n',
    ]);
  });

  it('takes one back by e-mail', async () => {
    await serve({
      [`GET ${base}/invitations?limit=200`]: page([invitation]),
      [`DELETE ${base}/invitations/01-inv`]: { status: 204, body: '' },
    });
    expect((await run('invitation', 'remove', 'cy@example.com')).stdout).toContain('no longer works');
    expect((await run('invitation', 'remove', 'nobody@example.com')).code).toBe(1);
  });
});

describe('orgctx key', () => {
  it('prints a new key alone on stdout, this once', async () => {
    const apiKey = `${key.prefix}ijklmnop`;
    await serve({ [`POST ${base}/api-keys`]: { status: 201, body: { ...key, apiKey } } });
    const { stdout, stderr } = await run('key', 'add', '--name', 'laptop', '--expires-in', '90d');
    expect(stdout).toBe(`${apiKey}\n`);
    expect(stderr).toContain('Key 01-key (ock_abcdefgh…); it is shown this once:');
    expect(stderr).not.toContain(apiKey);
    expect(service.seen[0]?.body).toEqual({ name: 'laptop', expiresIn: '90d' });
  });

  it('wants a name', async () => {
    await serve({});
    expect((await run('key', 'add')).code).toBe(2);
  });

  it('lists keys by what tells them apart', async () => {
    await serve({
      [`GET ${base}/api-keys`]: page([key, { ...key, id: '02-key', organization: { slug: 'acme' } }]),
    });
    const rest = 'never used  until 2027-02-19T00:00:00.000Z\n';
    expect((await run('key', 'list')).stdout).toBe(
      `01-key  ock_abcdefgh…  laptop  opens all of yours  ${rest}` +
        `02-key  ock_abcdefgh…  laptop  opens acme          ${rest}`,
    );
  });

  it('ends one by id or by its first characters, and repeats nothing that may be a key', async () => {
    await serve({
      [`GET ${base}/api-keys?limit=200`]: page([key]),
      [`DELETE ${base}/api-keys/01-key`]: { status: 204, body: '' },
    });
    for (const called of ['01-key', 'ock_abcdefgh', 'ock_abcdefgh…']) {
      expect((await run('key', 'remove', called)).stdout).toContain('laptop (01-key) no longer works');
    }
    const { code, stderr } = await run('key', 'remove', 'ock_hush');
    expect(code).toBe(1);
    expect(stderr).not.toContain('ock_hush');
  });
});

describe('orgctx grant', () => {
  it('lists clients without what would move the terminal', async () => {
    await serve({ [`GET ${base}/grants`]: page([grant, { ...grant, organization: null }]) });
    expect((await run('grant', 'list')).stdout).toBe(
      'g-1  Editor[31m  acme             mcp api  used 2026-11-21T00:00:00.000Z\n' +
        'g-1  Editor[31m  no organization  mcp api  used 2026-11-21T00:00:00.000Z\n',
    );
  });

  it('ends one by id', async () => {
    await serve({ [`DELETE ${base}/grants/g-1`]: { status: 204, body: '' } });
    expect((await run('grant', 'remove', 'g-1')).stdout).toBe('The grant g-1 has ended.\n');
    const { code, stderr } = await run('grant', 'remove', '../members/01-ada');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no such thing.');
    expect(asked().at(-1)).toBe('DELETE /grants/..%2Fmembers%2F01-ada');
  });
});

describe('orgctx audit', () => {
  it('shows who did what, a line each', async () => {
    await serve({
      [`GET ${base}/audit?limit=2`]: page([event, { ...event, actor: { kind: 'host' }, details: {} }]),
    });
    expect((await run('audit', '--limit', '2')).stdout).toBe(
      '2026-11-21T00:00:00.000Z  ada@example.com  member.removed  01-bob  {"role":"member"}\n' +
        '2026-11-21T00:00:00.000Z  host             member.removed  01-bob\n',
    );
  });

  it('gives one JSON value, with what it does not know itself', async () => {
    const items = [{ ...event, address: '192.0.2.1' }];
    await serve({ [`GET ${base}/audit`]: page(items, 'c2') });
    expect(JSON.parse((await run('audit', '--json')).stdout)).toEqual({ items, nextCursor: 'c2' });
  });

  it('tells who may see it', async () => {
    const detail = 'This needs the role "admin" in the organization; yours is "member".';
    await serve({
      [`GET ${base}/audit`]: { status: 403, body: { title: 'Forbidden', code: 'forbidden', detail } },
    });
    const { code, stderr } = await run('audit');
    expect(code).toBe(4);
    expect(stderr).toContain(detail);
  });
});
