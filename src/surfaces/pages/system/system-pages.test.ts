import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';
import type { HostReport } from '../../../features/doctor/host/report.ts';

const message = 'https://git.example/acme/context.git refused the push.';
const report: HostReport = {
  schemaVersion: 1,
  status: 'warning',
  checks: [
    { id: 'server', title: 'Server', status: 'skipped', message: 'The server was not asked.' },
    { id: 'mirror', title: 'Context repositories', status: 'warning', message, hint: 'Check access.' },
  ],
};

describe('the system page', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database, { hostChecks: { latest: async () => ({ report, at: 0 }) } });
    await openPerson(database, 'ada@example.com', [{ orgSlug: 'acme', role: 'owner' }]);
    // The test server has organizations of its own.
    await database.queries.deleteFrom('organizations').where('slug', '!=', 'acme').execute();
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  it('shows messages of checks, which may name anything on the host, only while there is one organization', async () => {
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email: 'ada@example.com', password });
    const own = await visitor.get('/app/acme/system');
    expect(own.body).toContain(message);
    expect(own.body).not.toContain('was not asked');
    expect(own.body).toContain('orgctx doctor mcp --url https://ctx.example/mcp<');
    await openPerson(database, 'bob@example.com', [{ orgSlug: 'globex', role: 'owner' }]);
    const { body } = await visitor.get('/app/acme/system');
    expect(body).toContain('Context repositories');
    expect(body).toContain('serves several organizations');
    expect(body).not.toContain('git.example');
    expect(body).not.toContain('Check access');
  });
});
