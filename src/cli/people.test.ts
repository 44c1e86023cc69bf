import { afterEach, describe, expect, it } from 'vitest';
import {
  runCli,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../../test/support/program/command-line.ts';

const base = '/acme/api/v1';
/** A time in this many days, with an hour to spare. */
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000 + 3_600_000).toISOString();
const ada = { userId: '01-ada', email: 'ada@example.com', role: 'owner', disabled: false };
const bob = { userId: '01-bob', email: 'bob@example.com', role: 'member', disabled: true };
const invitation = {
  id: '01-inv',
  email: 'cy@example.com',
  role: 'admin',
  expiresAt: inDays(7),
};
const key = {
  id: '01-key',
  prefix: 'ock_abcdefgh',
  name: 'laptop',
  lastUsedAt: null,
  expiresAt: inDays(90),
};
const grant = {
  id: 'g-1',
  client: { id: 'c', name: 'Editor\u001b[31m' },
  organization: { slug: 'acme', name: 'Acme' },
  scopes: ['mcp', 'api'],
  lastUsedAt: inDays(-2),
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

/** Responses by method and path; any other request gets a 404. */
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
const requests = () => service.seen.map(({ method, url }) => `${method} ${url.replace(base, '')}`);

describe('orgctx member', () => {
  it('lists the members one per line, and how to get the next page', async () => {
    await serve({ [`GET ${base}/members?limit=2&cursor=c1`]: page([ada, bob], 'c2') });
    const { code, stdout, stderr } = await run('member', 'list', '--limit', '2', '--cursor', 'c1');
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'EMAIL            ROLE    STATE     ID\n' +
        'ada@example.com  owner   active    01-ada\n' +
        'bob@example.com  member  disabled  01-bob\n',
      stderr: 'More entries are available: --cursor c2\n',
    });
  });

  it('changes a role by e-mail in any case, searching all pages', async () => {
    await serve({
      [`GET ${base}/members?limit=200`]: page([ada], 'c2'),
      [`GET ${base}/members?limit=200&cursor=c2`]: page([bob]),
      [`PUT ${base}/members/01-bob`]: { body: { ...bob, role: 'admin' } },
    });
    const { stdout } = await run('member', 'role', 'Bob@Example.com', 'admin');
    expect(stdout).toBe('bob@example.com is now admin of acme.\n');
    expect(service.seen.at(-1)?.body).toEqual({ role: 'admin' });
  });

  it('refuses an unknown role', async () => {
    await serve({});
    const { code, stderr } = await run('member', 'role', 'bob@example.com', 'king');
    expect(code).toBe(2);
    expect(stderr).toContain('must be one of owner, admin, member');
    expect(service.seen).toEqual([]);
  });

  it('removes a member by id and reports it', async () => {
    await serve({
      [`GET ${base}/members?limit=200`]: page([ada, bob]),
      [`DELETE ${base}/members/01-bob`]: { status: 204, body: '' },
    });
    const { stdout } = await run('member', 'remove', '01-bob', '--json');
    expect(JSON.parse(stdout)).toEqual({ userId: '01-bob', email: 'bob@example.com', removed: true });
  });

  it('reports why the last owner cannot be removed', async () => {
    const detail = 'An organization must keep at least one owner: make someone else an owner first.';
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

  it('mentions the list command for an unknown member', async () => {
    await serve({ [`GET ${base}/members?limit=200`]: page([ada]) });
    const { code, stderr } = await run('member', 'remove', 'nobody@example.com');
    expect(code).toBe(1);
    expect(stderr).toContain('"nobody@example.com" is not a member of acme. Run "orgctx member list"');
    expect(requests()).toEqual(['GET /members?limit=200']);
  });
});

describe('orgctx invitation', () => {
  const link = 'https://ctx.example/.auth/invitation/hush';

  it('prints only the link to stdout, and the invited person to stderr', async () => {
    await serve({ [`POST ${base}/invitations`]: { status: 201, body: { ...invitation, link } } });
    const { stdout, stderr } = await run('invitation', 'add', 'cy@example.com', '--role', 'admin');
    expect(stdout).toBe(`${link}\n`);
    expect(stderr).toMatch(
      /^Invitation of cy@example\.com as admin, valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC; /,
    );
    expect(service.seen[0]?.body).toEqual({ email: 'cy@example.com', role: 'admin' });
  });

  it('invites as a member by default', async () => {
    await serve({ [`POST ${base}/invitations`]: { status: 201, body: { ...invitation, link } } });
    const { stdout, stderr } = await run('invitation', 'add', 'cy@example.com', '--json');
    expect(service.seen[0]?.body).toEqual({ email: 'cy@example.com', role: 'member' });
    expect([JSON.parse(stdout), stderr]).toEqual([{ ...invitation, link }, '']);
  });

  it('lists open invitations, or says how to invite', async () => {
    await serve({ [`GET ${base}/invitations`]: page([invitation]) });
    expect((await run('invitation', 'list')).stdout).toBe(
      'EMAIL           ROLE   EXPIRES  ID\ncy@example.com  admin  in 7 d   01-inv\n',
    );
    await service.close();
    await serve({ [`GET ${base}/invitations`]: page([]) });
    const { stdout, stderr } = await run('invitation', 'list');
    expect([stdout, stderr]).toEqual([
      '',
      'No invitation is open. Invite someone: "orgctx invitation add <email>".\n',
    ]);
  });

  it('withdraws an invitation by e-mail', async () => {
    await serve({
      [`GET ${base}/invitations?limit=200`]: page([invitation]),
      [`DELETE ${base}/invitations/01-inv`]: { status: 204, body: '' },
    });
    expect((await run('invitation', 'remove', 'cy@example.com')).stdout).toContain('no longer works');
    expect((await run('invitation', 'remove', 'nobody@example.com')).code).toBe(1);
  });
});

describe('orgctx key', () => {
  it('prints only the new key to stdout, once', async () => {
    const apiKey = `${key.prefix}ijklmnop`;
    await serve({ [`POST ${base}/api-keys`]: { status: 201, body: { ...key, apiKey } } });
    const { stdout, stderr } = await run('key', 'add', '--name', 'laptop', '--expires-in', '90d');
    expect(stdout).toBe(`${apiKey}\n`);
    expect(stderr).toContain('Key 01-key (ock_abcdefgh…); it is not shown again:');
    expect(stderr).not.toContain(apiKey);
    expect(service.seen[0]?.body).toEqual({ name: 'laptop', expiresIn: '90d' });
  });

  it('limits a key to the repositories with the names', async () => {
    const pending = { source: 's', branch: null, state: 'pending', progress: null, error: null };
    const times = { indexedCommit: null, indexedAt: null, checkedAt: null, nextCheckAt: null };
    const listed = ['api', 'web'].map((name, index) => ({
      ...pending,
      ...times,
      id: `r-${index + 1}`,
      name: `acme/${name}`,
      filesWithoutDefinitions: 0,
    }));
    await serve({
      [`GET ${base}/repositories?limit=200`]: page(listed),
      [`POST ${base}/api-keys`]: { status: 201, body: { ...key, repositories: ['r-1'], apiKey: 'ock_new' } },
    });
    const add = (...names: string[]) =>
      run('key', 'add', '--name', 'ci', ...names.flatMap((name) => ['--repository', name]));
    await add('acme/api', 'acme/web');
    expect(service.seen.at(-1)?.body).toEqual({ name: 'ci', repositories: ['r-1', 'r-2'] });
    const unknown = await add('acme/none');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('acme/none')]);
  });

  it('requires a name', async () => {
    await serve({});
    expect((await run('key', 'add')).code).toBe(2);
    const unclear = await run('key', 'add', '--name', 'laptop', '--expires-in', '90');
    expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining('--expires-in')]);
  });

  it('lists keys with the fields that distinguish them', async () => {
    await serve({
      [`GET ${base}/api-keys`]: page([key, { ...key, id: '02-key', organization: { slug: 'acme' } }]),
    });
    expect((await run('key', 'list')).stdout).toBe(
      'NAME    KEY            ORGANIZATION  READS       USED   EXPIRES\n' +
        'laptop  ock_abcdefgh…  any of yours  everything  never  in 90 d\n' +
        'laptop  ock_abcdefgh…  acme          everything  never  in 90 d\n',
    );
  });

  it('revokes a key by id or prefix, and never prints text that may be a key', async () => {
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
  it('lists clients with control characters in visible form', async () => {
    await serve({ [`GET ${base}/grants`]: page([grant, { ...grant, organization: null }]) });
    expect((await run('grant', 'list')).stdout).toBe(
      'CLIENT      ORGANIZATION  USED     SCOPES   ID\n' +
        'Editor[31m  acme          1 d ago  mcp api  g-1\n' +
        'Editor[31m  none          1 d ago  mcp api  g-1\n',
    );
  });

  it('revokes a grant by id or the start of its id', async () => {
    const id = '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10';
    const other = {
      ...grant,
      id: '01980f3f-5f2c-7c3a-9d53-0c2b7b6a9f10',
      client: { id: 'd', name: 'Other' },
    };
    await serve({
      [`GET ${base}/grants?limit=200`]: page([{ ...grant, id }], 'p2'),
      [`GET ${base}/grants?limit=200&cursor=p2`]: page([other]),
      [`DELETE ${base}/grants/${id}`]: { status: 204, body: '' },
    });
    for (const called of [id, '01980f3e']) {
      expect((await run('grant', 'remove', called)).stdout).toBe(
        `The grant of Editor[31m (${id}) is revoked.\n`,
      );
    }
    const seen = requests().length;
    const ambiguous = await run('grant', 'remove', '01980f3');
    expect({ code: ambiguous.code, stderr: ambiguous.stderr }).toEqual({
      code: 2,
      stderr:
        'error: The ids of several grants start with "01980f3".\nGive enough characters of the id of one of these:\n' +
        `  ${id}  Editor[31m\n  ${other.id}  Other\n`,
    });
    for (const called of ['019', '../members/01-ada', 'nope']) {
      const { code, stderr } = await run('grant', 'remove', called);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `error: You have no grant "${called}". Run "orgctx grant list" to see yours.\n`,
      });
    }
    expect(
      requests()
        .slice(seen)
        .every((request) => request.startsWith('GET /grants')),
    ).toBe(true);
  });
});

describe('orgctx audit', () => {
  it('prints one event per line', async () => {
    await serve({
      [`GET ${base}/audit?limit=2`]: page([event, { ...event, actor: { kind: 'host' }, details: {} }]),
    });
    expect((await run('audit', '--limit', '2')).stdout).toBe(
      'TIME (UTC)        WHO              ACTION          TARGET  DETAILS\n' +
        '2026-11-21 00:00  ada@example.com  member.removed  01-bob  {"role":"member"}\n' +
        '2026-11-21 00:00  host             member.removed  01-bob\n',
    );
  });

  it('prints one JSON value, including unknown fields', async () => {
    const items = [{ ...event, address: '192.0.2.1' }];
    await serve({ [`GET ${base}/audit`]: page(items, 'c2') });
    expect(JSON.parse((await run('audit', '--json')).stdout)).toEqual({ items, nextCursor: 'c2' });
  });

  it('reports which role is required', async () => {
    const detail = 'This needs the role "admin" in the organization; yours is "member".';
    await serve({
      [`GET ${base}/audit`]: { status: 403, body: { title: 'Forbidden', code: 'forbidden', detail } },
    });
    const { code, stderr } = await run('audit');
    expect(code).toBe(4);
    expect(stderr).toContain(detail);
  });
});
