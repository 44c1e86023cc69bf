import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';
import { findOrganization } from '../../../features/identity/people/organization-store.ts';
import { insertRepository } from '../../../features/repositories/repository-store.ts';
import { newId, type RepositoryId } from '../../../foundation/kernel/ids.ts';

const ada = 'ada@example.com';
const bob = 'bob@example.com';

describe('the account page', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    await openPerson(database, ada, [
      { orgSlug: 'acme', role: 'owner' },
      { orgSlug: 'globex', role: 'member' },
    ]);
    await openPerson(database, bob, [{ orgSlug: 'initech', role: 'owner' }]);
  });
  afterEach(async () => {
    await http.server.close();
    await database.close();
  });

  async function accountOf(email: string): Promise<string> {
    const browser: PageVisitor = pageVisitor(http.server);
    await browser.submit(await browser.get('/.auth/sign-in'), { email, password });
    return (await browser.get('/.auth/account')).body;
  }

  async function addRepository(orgSlug: string, name: string, state: object = {}): Promise<void> {
    const { queries } = database;
    const organization = await findOrganization(queries, orgSlug);
    if (organization === undefined) throw new Error(`there is no ${orgSlug}`);
    const scope = { organizationId: organization.id, orgSlug };
    const id = newId<RepositoryId>();
    const source = `https://git.example.com/${name}.git`;
    const repository = { name, source, sourceKind: 'https', branch: undefined, furtherBranches: [] } as const;
    await insertRepository(queries, scope, id, repository, 1);
    await queries
      .updateTable('repositories')
      .set({ state: 'queued', ...state })
      .where('id', '=', id)
      .execute();
  }

  it('names the repositories of the organizations of the person, with their states, and no others', async () => {
    await addRepository('acme', 'team/billing', {
      state: 'indexed',
      indexed_commit: 'a'.repeat(40),
      indexed_at: 1,
    });
    const error = JSON.stringify({ code: 'unreachable', message: 'The host does not answer.' });
    await addRepository('acme', 'team/gone', { state: 'failed', error });
    await addRepository('globex', 'team/fresh');
    await addRepository('initech', 'team/secret');
    const page = await accountOf(ada);
    expect(page).toMatch(/team\/billing<\/strong><span[^>]*>ready to search/);
    expect(page).toMatch(/team\/gone<\/strong><span[^>]*>failed: The host does not answer\./);
    expect(page).toMatch(/team\/fresh<\/strong><span[^>]*>waiting to be cloned/);
    expect(page).not.toContain('secret');
  });

  it('links to the repositories that it leaves out', async () => {
    for (let n = 0; n < 23; n += 1) await addRepository('initech', `team/${n}`);
    const page = await accountOf(bob);
    expect(page.match(/<strong>team\//g)).toHaveLength(20);
    expect(page).toContain('<a href="/app/initech/repositories">All repositories</a>');
  });

  it.each([
    ['add a repository', 'owner', '<a href="/app/initech/repositories/add">Add a repository</a>'],
    ['ask for one', 'member', 'Ask an administrator of initech to add a repository.'],
  ] as const)('names the next step without a repository: %s', async (_, role, step) => {
    await database.queries.updateTable('memberships').set({ role }).execute();
    const page = await accountOf(bob);
    expect(page).toContain('Next step');
    expect(page).toContain(step);
  });

  it('names the next step with a repository: connect a client', async () => {
    await addRepository('initech', 'team/service');
    expect(await accountOf(bob)).toMatch(/Next step.*<a href="#connect">Connect an MCP client<\/a>/);
  });
});
