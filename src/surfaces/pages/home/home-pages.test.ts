import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';
import { openTestOauth } from '../../../../test/support/identity/oauth-http.ts';

describe('the home page', () => {
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

  async function signedIn(email: string): Promise<PageVisitor> {
    const visitor = pageVisitor(http.server);
    const answer = await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
    return visitor;
  }

  it('is where a person with one organization lands, and says what to do first', async () => {
    const visitor = await signedIn('ada@example.com');
    expect((await visitor.get('/')).headers.location).toBe('/app/acme');
    const page = await visitor.get('/app/acme');
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining('Add a repository')]);
    expect(page.body).toContain('Add a connection');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  });

  it('does not offer a member what only administrators may do', async () => {
    const { body } = await (await signedIn('mia@example.com')).get('/app/acme');
    expect(body).toContain('Ask an administrator to add a repository');
    expect(body).not.toContain('Add a connection');
  });

  it('leads to the configuration of clients once, before and after the first one is connected', async () => {
    const own = await openTestDatabase('sqlite');
    const service = await openTestOauth(own);
    const visitor = pageVisitor(service.server);
    const { email } = service.people.ann;
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    const links = async () =>
      (await visitor.get('/app/acme')).body.match(/href="\/app\/acme\/connect"/g)?.length;
    expect(await links()).toBe(1);
    await service.connect(await service.register());
    expect(await links()).toBe(1);
    await service.close();
    await own.close();
  });
});
