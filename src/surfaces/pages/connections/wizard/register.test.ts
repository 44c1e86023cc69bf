import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testSetup } from '../../../../../test/support/connectors/test-setup.ts';
import { openTestDatabase, type TestDatabase } from '../../../../../test/support/database/databases.ts';
import { openTestKeyring, type TestHttp } from '../../../../../test/support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../../test/support/http/pages.ts';

const origin = 'https://ctx.example';

describe('the step Register of the wizard', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
  });
  afterEach(async () => {
    await http.server.close();
    await database.close();
  });

  /** Opens the wizard of a new connection, with these settings of the deployment. Returns the path of its pages. */
  async function wizard(
    kind: string,
    options: { readonly settings?: Readonly<Record<string, string>>; readonly baseUrl?: string } = {},
  ): Promise<{ visitor: PageVisitor; path: string; first: string }> {
    const { settings = {}, baseUrl = origin } = options;
    const keyring = await openTestKeyring(database);
    const setup = testSetup(database, keyring, { providerSettings: settings, baseUrl });
    http = await openTestPages(database, { setup, baseUrl });
    await openPerson(database, 'ada@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email: 'ada@example.com', password });
    const form = '/app/acme/connections/new';
    const { headers } = await visitor.submit(await visitor.get(form), { kind, name: kind }, form);
    const path = String(headers.location).replace(/\/setup$/, '');
    const first = String((await visitor.get(`${path}/setup`)).headers.location);
    return { visitor, path, first };
  }

  it('of the tracker lists what to enter and tick at the provider, and what to copy', async () => {
    const { visitor, path, first } = await wizard('tracker');
    expect(first).toBe(`${path}/register`);
    const { body } = await visitor.get(first);
    for (const text of [
      `${origin}/api/v1/integrations/tracker/callback`,
      `${origin}/api/v1/webhook/tracker`,
      'tracker (Linear)',
      'href="https://linear.app/settings/api/applications/new"',
      'Application name: ',
      'Developer name: ',
      'Data change events: Issues, Comments, Documents, Projects, Initiatives',
      'OAuth authorization events',
      'webhook signing secret',
      'permission to create OAuth applications',
      'staging environment',
      'Signing secret of webhooks',
    ])
      expect(body).toContain(text);
    expect(body).not.toContain('cannot reach this service');
  });

  it('of oncall names the five scopes and nothing to tick, and takes no webhook secret', async () => {
    const { visitor, path } = await wizard('oncall');
    const { body } = await visitor.get(`${path}/register`);
    for (const text of [
      `${origin}/api/v1/integrations/oncall/callback`,
      'oncall (PagerDuty)',
      'leave Events Integration unselected',
      'incidents.read, services.read, users.read, webhook_subscriptions.read, webhook_subscriptions.write',
      'the secret is shown once',
    ])
      expect(body).toContain(text);
    expect(body).not.toContain('Signing secret of webhooks');
  });

  it.each(['http://127.0.0.1:3000', 'https://orgctx.internal', 'https://10.1.2.3'])(
    'warns that webhooks cannot reach %s',
    async (baseUrl) => {
      const { visitor, path } = await wizard('tracker', { baseUrl });
      expect((await visitor.get(`${path}/register`)).body).toContain(
        'The provider cannot reach this service',
      );
    },
  );

  it.each([
    ['tracker', { TRACKER_CLIENT_ID: 'id', TRACKER_CLIENT_SECRET: 'secret' }, 'authorize'],
    ['oncall', { ONCALL_CLIENT_ID: 'id', ONCALL_CLIENT_SECRET: 'secret' }, 'authorize'],
    ['oncall', { ONCALL_CLIENT_ID: 'id' }, 'register'],
  ])('of %s with the settings %j is not first: %s is', async (kind, settings, step) => {
    const { path, first } = await wizard(kind, { settings });
    expect(first).toBe(`${path}/${step}`);
  });

  it.each([
    ['tracker', 'The OAuth of Linear is not configured'],
    ['oncall', 'The OAuth of PagerDuty is not configured'],
  ])('of %s can be left out, and the next step says then why nobody can authorize', async (kind, reason) => {
    const { visitor, path } = await wizard(kind);
    const authorize = `${path}/authorize`;
    const refused = await visitor.submit(await visitor.get(authorize), {}, authorize);
    expect([refused.statusCode, refused.body]).toEqual([409, expect.stringContaining(reason)]);
  });
});
