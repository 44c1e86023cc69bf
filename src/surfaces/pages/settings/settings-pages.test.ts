import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';

describe('the settings', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    await openPerson(database, 'ada@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
    await openPerson(database, 'mia@example.com', [{ orgSlug: 'acme', role: 'member' }]);
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  const at = (topic: string): string => `/app/acme/settings/${topic}`;

  async function signedIn(email = 'ada@example.com'): Promise<PageVisitor> {
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    return visitor;
  }

  it('create a key that works until it is revoked, and show it once', async () => {
    const visitor = await signedIn('mia@example.com');
    const created = await visitor.submit(
      await visitor.get(at('keys')),
      { name: 'laptop', expiresIn: '30d' },
      at('keys'),
    );
    const key = />(ock_[^<]{20,})</.exec(created.body)?.[1];
    expect([created.statusCode, key]).toEqual([200, expect.stringMatching(/^ock_/)]);
    const call = () =>
      http.server.inject({
        url: '/acme/api/v1/repositories',
        headers: { authorization: `Bearer ${key}` },
      });
    expect((await call()).statusCode).toBe(200);
    const listed = await visitor.get(at('keys'));
    expect(listed.body).toContain('laptop');
    expect(listed.body).not.toContain(key);
    const revoke = /action="([^"]*\/revoke)"/.exec(listed.body)?.[1] ?? '';
    expect((await visitor.submit(listed, {}, revoke)).headers.location).toBe(at('keys'));
    expect((await call()).statusCode).toBe(401);
  });

  it('ask before a key is revoked or a member is removed, and say what happens', async () => {
    const visitor = await signedIn();
    const keys = await visitor.get(at('keys'));
    const created = await visitor.submit(keys, { name: 'asked', expiresIn: '30d' }, at('keys'));
    expect(created.body).toMatch(
      /<summary[^>]*aria-label="Revoke asked">Revoke<\/summary><form[^>]*\/revoke">.*?<p>Programs that use this key are refused/,
    );
    const { body } = await visitor.get(at('members'));
    expect(body).toMatch(/<summary[^>]*>Remove<\/summary><form[^>]*\/remove">.*?<p>This person loses access/);
    expect(body).toMatch(/<summary[^>]*>Leave<\/summary><form[^>]*\/remove">.*?<p>You lose access/);
  });

  it('limit a key to the repositories that the form names', async () => {
    const visitor = await signedIn();
    const add = '/app/acme/repositories/add';
    for (const name of ['shown', 'other']) {
      const source = `https://git.example.com/team/${name}.git`;
      expect((await visitor.submit(await visitor.get(add), { source }, add)).statusCode).toBe(303);
    }
    const form = await visitor.get(at('keys'));
    const fields = { name: 'limited', expiresIn: '30d' };
    const refused = await visitor.submit(form, { ...fields, repositories: 'team/none' }, at('keys'));
    expect([refused.statusCode, refused.body]).toEqual([
      400,
      expect.stringContaining('No repository has the name &quot;team/none&quot;.'),
    ]);
    expect(refused.body).toContain('href="#repositories"');
    const created = await visitor.submit(
      form,
      { ...fields, repositories: '\r\n team/shown \r\n' },
      at('keys'),
    );
    expect(created.body).toContain('acme: 1 repository, read only');
    const key = />(ock_[^<]{20,})</.exec(created.body)?.[1];
    const headers = { authorization: `Bearer ${key}` };
    const { body } = await http.server.inject({ url: '/acme/api/v1/repositories', headers });
    expect(JSON.parse(body).items).toEqual([expect.objectContaining({ name: 'team/shown' })]);
  });

  it('name the field of a key that is missing', async () => {
    const visitor = await signedIn();
    const refused = await visitor.submit(await visitor.get(at('keys')), { name: ' ' }, at('keys'));
    expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('href="#name"')]);
  });

  it('invite a person with a link that opens the invitation, and withdraw it', async () => {
    const visitor = await signedIn();
    const page = await visitor.get(at('invitations'));
    const fields = { email: 'lin@example.com', role: 'member' };
    const created = await visitor.submit(page, fields, at('invitations'));
    const link = /https:\/\/ctx\.example(\/\.auth\/invitation\/[\w-]+)/.exec(created.body)?.[1] ?? '';
    expect((await visitor.get(link)).body).toContain('lin@example.com');
    const withdraw = /action="([^"]*\/withdraw)"/.exec(created.body)?.[1] ?? '';
    expect((await visitor.submit(created, {}, withdraw)).statusCode).toBe(303);
    expect((await visitor.get(link)).body).not.toContain('lin@example.com');
  });

  it('create one key and one invitation for a form that is sent twice', async () => {
    const visitor = await signedIn();
    const form = await visitor.get(at('keys'));
    const [first, second] = [
      await visitor.submit(form, { name: 'twice', expiresIn: '30d' }, at('keys')),
      await visitor.submit(form, { name: 'twice', expiresIn: '30d' }, at('keys')),
    ];
    expect([first.statusCode, second.statusCode]).toEqual([200, 400]);
    expect(second.body).toContain('exists already, and was shown when it was created');
    expect(second.body.match(/<bdi>twice<\/bdi>/g)).toHaveLength(1);

    const invitations = await visitor.get(at('invitations'));
    const invite = () =>
      visitor.submit(invitations, { email: 'twice@example.com', role: 'member' }, at('invitations'));
    const links = [await invite(), await invite()].map(
      ({ body }) => /https:\/\/ctx\.example(\/\.auth\/invitation\/[\w-]+)/.exec(body)?.[1] ?? '',
    );
    const opened = await Promise.all(links.map(async (link) => (await visitor.get(link)).body));
    expect(opened.map((body) => body.includes('twice@example.com'))).toEqual([false, true]);
  });

  it('add one repository for a form that is sent twice, and say so', async () => {
    const visitor = await signedIn();
    const path = '/app/acme/repositories/add';
    const form = await visitor.get(path);
    const fields = { source: 'https://git.example.com/team/twice.git' };
    expect((await visitor.submit(form, fields, path)).statusCode).toBe(303);
    const second = await visitor.submit(form, fields, path);
    expect([second.statusCode, second.body]).toEqual([400, expect.stringContaining('exists already')]);
  });

  it('refuse a role that does not exist, and change nothing', async () => {
    const visitor = await signedIn();
    await openPerson(database, 'rob@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
    const page = await visitor.get(at('members'));
    const row = page.body.slice(page.body.indexOf('<bdi>rob@example.com</bdi>'));
    const action = /action="([^"]*\/role)"/.exec(row)?.[1] ?? '';
    const unchanged = async () => {
      const { body } = await visitor.get(at('members'));
      return /<option value="(\w+)" selected>/.exec(
        body.slice(body.indexOf('<bdi>rob@example.com</bdi>')),
      )?.[1];
    };
    for (const role of ['root', '', 'Owner', undefined]) {
      const refused = await visitor.submit(page, { role }, action);
      expect([refused.statusCode, refused.body]).toEqual([
        400,
        expect.stringContaining('There is no such role'),
      ]);
    }
    expect(await unchanged()).toBe('admin');
  });

  it('change a role, and say why an owner cannot be changed by an admin', async () => {
    const visitor = await signedIn();
    const page = await visitor.get(at('members'));
    const actionOf = (email: string, action: string): string => {
      const row = page.body.slice(page.body.indexOf(`<bdi>${email}</bdi>`));
      return new RegExp(`action="([^"]*/${action})"`).exec(row)?.[1] ?? '';
    };
    const role = actionOf('mia@example.com', 'role');
    expect((await visitor.submit(page, { role: 'admin' }, role)).statusCode).toBe(303);
    expect((await visitor.submit(page, { role: 'member' }, role)).statusCode).toBe(303);
    const refused = await visitor.submit(page, {}, actionOf('owner@example.com', 'remove'));
    expect([refused.statusCode, refused.body]).toEqual([403, expect.stringContaining('Only owners')]);
  });

  it('record all of it in the audit log, page by page', async () => {
    const { body } = await (await signedIn()).get(at('audit'));
    for (const text of ['member.changed', 'invitation.created', 'ada@example.com'])
      expect(body).toContain(text);
    expect(body).toMatch(/<time[^>]*>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC</);
  });

  it('create the SSH key of the organization, and delete it', async () => {
    const visitor = await signedIn();
    const path = at('git-hosts/ssh-key');
    expect((await visitor.submit(await visitor.get(at('git-hosts')), {}, path)).statusCode).toBe(303);
    const page = await visitor.get(at('git-hosts'));
    expect(page.body).toContain('ssh-ed25519 ');
    expect(page.body).toMatch(/<summary[^>]*>Delete the SSH key<\/summary><form[^>]*\/ssh-key\/delete">/);
    await visitor.submit(page, {}, `${path}/delete`);
    expect((await visitor.get(at('git-hosts'))).body).not.toContain('ssh-ed25519 ');
  });

  it('show members only what is theirs', async () => {
    const { body } = await (await signedIn('mia@example.com')).get(at('keys'));
    expect(body).toContain('Connected clients');
    for (const text of ['Members', 'Invitations', 'Audit log']) expect(body).not.toContain(text);
  });
});
