import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import type { TestHttp } from '../../../../test/support/http/http-server.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';

describe('the page that changes a repository', () => {
  let database: TestDatabase;
  let http: TestHttp;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    for (const email of ['ada@example.com', 'bea@example.com'])
      await openPerson(database, email, [{ orgSlug: 'acme', role: 'admin' }]);
  });
  afterAll(async () => {
    await http.server.close();
    await database.close();
  });

  async function signedIn(email: string): Promise<PageVisitor> {
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    return visitor;
  }

  it('does not undo what another person saved meanwhile: it shows the saved values first', async () => {
    const [ada, bea] = [await signedIn('ada@example.com'), await signedIn('bea@example.com')];
    const add = '/app/acme/repositories/add';
    const source = 'https://git.example.com/team/shared.git';
    const path = String((await ada.submit(await ada.get(add), { source }, add)).headers.location);
    const edit = `${path}/edit`;
    const opened = await ada.get(edit);
    const shown = { source, name: 'team/shared', branch: '' };
    const saved = await bea.submit(await bea.get(edit), { ...shown, branch: 'release' }, edit);
    expect(saved.statusCode).toBe(303);

    const refused = await ada.submit(opened, { ...shown, name: 'team/renamed' }, edit);
    expect([refused.statusCode, refused.body]).toEqual([
      400,
      expect.stringContaining('was changed after you opened this page'),
    ]);
    expect(refused.body).toContain('Saved now: release');
    expect(refused.body).toContain('value="team/renamed"');
    expect((await ada.get(edit)).body).toContain('value="release"');

    const again = { ...shown, name: 'team/renamed', branch: 'release' };
    expect((await ada.submit(refused, again, edit)).statusCode).toBe(303);
    const { body } = await ada.get(edit);
    expect(body).toContain('value="team/renamed"');
    expect(body).toContain('value="release"');
  });

  it('leads to a page that shows which files the graph left out and lack definitions', async () => {
    const ada = await signedIn('ada@example.com');
    const add = '/app/acme/repositories/add';
    const source = 'https://git.example.com/team/left-out.git';
    const path = String((await ada.submit(await ada.get(add), { source }, add)).headers.location);
    const first = (await ada.get(path)).body;
    expect([first.includes('Left out of the knowledge graph'), first.includes('sym:')]).toEqual([
      false,
      false,
    ]);
    const leftOut = { counts: { too_slow: 1234 }, examples: [{ path: '<b>.js', reason: 'too_slow' }] };
    await database.queries
      .updateTable('repositories')
      .set({ graph_left_out: JSON.stringify(leftOut), files_without_definitions: 1234 })
      .where('source', '=', source)
      .execute();
    const { body } = await ada.get(path);
    expect(body).toContain('Left out of the knowledge graph');
    expect(body).toContain('being read, 1234 files left; sym: does not find them yet');
    expect(body).toMatch(/too_slow.*1,234.*&lt;b(?:&gt;|>)\.js/s);
  });

  it('leads from an error to the section of the page', async () => {
    const { statusCode, body } = await (await signedIn('ada@example.com')).get('/app/acme/repositories/none');
    expect([statusCode, body]).toEqual([
      404,
      expect.stringContaining('<a href="/app/acme/repositories">Open Repositories</a>'),
    ]);
  });
});
