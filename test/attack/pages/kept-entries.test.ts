import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpstreamProvider } from '../../../src/features/identity/upstream/upstream-provider.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { TestHttp } from '../../support/http/http-server.ts';
import { formOf, type PageVisitor, pageVisitor } from '../../support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../support/http/pages.ts';

const email = 'ada@example.com';
const secret = 'glpat-SECRET/+ of Ada';

/** Returns a page with the kept entry that it carries decoded. */
function readable(html: string): string {
  const entry = /name="entry" value="([^"]*)"/.exec(html)?.[1] ?? '';
  return `${html}\n${Buffer.from(entry, 'base64url').toString()}`;
}

describe('a form that arrives after the session has ended', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    await openPerson(database, email, [{ orgSlug: 'acme', role: 'admin' }]);
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  async function signedIn(server = http.server): Promise<PageVisitor> {
    const visitor = pageVisitor(server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    return visitor;
  }

  /** Opens a page, ends the session, and sends the form of the page. */
  async function sendLate(visitor: PageVisitor, path: string, fields: Readonly<Record<string, string>>) {
    const page = await visitor.get(path);
    const action = path.split('?', 1)[0];
    const marks = [...page.body.matchAll(/name="secret-field" value="([^"]*)"/g)].map(([, mark = '']) =>
      mark.replaceAll('&quot;', '"'),
    );
    const form = formOf(page.body, action);
    const sent = new URLSearchParams({ ...form.fields, ...fields });
    sent.delete('secret-field');
    for (const mark of marks) sent.append('secret-field', mark);
    await database.queries.deleteFrom('sessions').execute();
    return visitor.post(form.action, sent.toString());
  }

  it.each([
    ['https', { url: 'https://git.example.com', user: 'ada', token: secret }, 'Token'],
    ['github', { appId: '7', privateKey: secret }, 'Private key of the App'],
  ])('gives back no secret of a Git host of kind %s, and asks for it again', async (kind, fields, label) => {
    const visitor = await signedIn();
    const late = await sendLate(visitor, `/app/acme/settings/git-hosts/add?kind=${kind}`, {
      name: 'kept name',
      ...fields,
    });
    expect([late.statusCode, late.body]).toEqual([
      401,
      expect.stringContaining('Secrets must be entered again'),
    ]);
    const wrong = await visitor.submit(late, { email, password: 'wrong' }, '/.auth/sign-in');
    const again = await visitor.submit(wrong, { email, password }, '/.auth/sign-in');
    for (const page of [late, wrong, again]) {
      expect(readable(page.body)).not.toMatch(/SECRET|of(?:%20|\+| )Ada/);
      expect(readable(page.body)).toMatch(/kept[+ ]name/);
    }
    expect(again.body).toContain(`>${label}</label>`);
    expect(again.body).toContain('Enter it again: secrets are not kept.');
    const resent = await visitor.submit(again, {}, '/app/acme/settings/git-hosts/add');
    expect([resent.statusCode, resent.body]).toEqual([400, expect.stringContaining('kept name')]);
  });

  it.each([
    ['without the token of a form', 'https://git.example.com/kept', 'x'],
    ['that is larger than any but a few', `https://git.example.com/kept${'x'.repeat(60_000)}`, undefined],
  ])('is not kept %s, and says so', async (_, prompt, csrf) => {
    const visitor = await signedIn();
    const late = await sendLate(visitor, '/app/acme/ask', { prompt, ...(csrf !== undefined && { csrf }) });
    expect([late.statusCode, readable(late.body)]).toEqual([
      401,
      expect.stringContaining('is not kept on this page'),
    ]);
    expect(readable(late.body)).not.toContain('git.example.com/kept');
  });

  it('can be sent again after a sign-in at an identity provider in another tab', async () => {
    const provider: UpstreamProvider = {
      issuer: 'https://id.example',
      host: 'id.example',
      allowedDomains: [],
      redirectUri: 'https://ctx.example/.auth/upstream/callback',
      configuration: () => Promise.reject(new Error('not used')),
    };
    const withUpstream = await openTestPages(database, { provider });
    const visitor = await signedIn(withUpstream.server);
    const action = '/app/acme/repositories/add';
    const late = await sendLate(visitor, action, {
      source: 'https://git.example.com/kept.git',
      name: 'kept',
    });
    expect([late.statusCode, late.body]).toEqual([401, expect.stringMatching(/opens in another tab/)]);
    expect((await visitor.submit(late, {}, action)).statusCode).toBe(401);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    const sent = await visitor.submit(late, {}, action);
    expect([sent.statusCode, sent.headers.location]).toEqual([
      303,
      expect.stringMatching(/\/repositories\/[\da-f-]{36}$/),
    ]);
    await withUpstream.server.close();
  });
});
