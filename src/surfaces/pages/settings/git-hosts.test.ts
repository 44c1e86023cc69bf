import { expect, it } from 'vitest';
import { startGithost } from '../../../../test/standins/githost/githost.ts';
import { openTestDatabase } from '../../../../test/support/database/databases.ts';
import { testGithosts } from '../../../../test/support/git/test-githosts.ts';
import { openTestKeyring } from '../../../../test/support/http/http-server.ts';
import { pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../../test/support/http/pages.ts';

it('a Git host gets a new name and a new token, which is checked first and never shown', async () => {
  await using host = await startGithost({ flavour: 'gitea' });
  const database = await openTestDatabase('sqlite');
  const githosts = testGithosts(database, await openTestKeyring(database), {
    allowHosts: [new URL(host.origin).host],
    deployment: { kind: 'github', settings: { url: 'https://ghe.example/' } },
  });
  const { server } = await openTestPages(database, { githosts });
  await openPerson(database, 'ada@example.com', [{ orgSlug: 'acme', role: 'admin' }]);
  const visitor = pageVisitor(server);
  await visitor.submit(await visitor.get('/.auth/sign-in'), { email: 'ada@example.com', password });
  const hosts = '/app/acme/settings/git-hosts';
  const bot = host.addUser('bot', 'hushed-first');
  expect((await visitor.get(`${hosts}/add?kind=github`)).body).toContain(
    'href="https://ghe.example/settings/apps/new"',
  );
  const fields = { kind: 'gitea', url: host.origin, token: 'hushed-first' };
  await visitor.submit(await visitor.get(`${hosts}/add?kind=gitea`), fields, `${hosts}/add`);
  const edit = /href="([^"]*\/edit)"/.exec((await visitor.get(hosts)).body)?.[1] ?? '';
  const page = await visitor.get(edit);
  expect(page.body).toMatch(/value="gitea"/);

  const refused = await visitor.submit(page, { name: 'work', token: 'hushed-wrong' }, edit);
  expect([refused.statusCode, refused.body]).toEqual([
    400,
    expect.stringContaining('refused the credentials'),
  ]);

  host.addUser('bot', 'hushed-second');
  bot.tokens.delete('hushed-first');
  expect((await visitor.submit(page, { name: 'work', token: 'hushed-second' }, edit)).statusCode).toBe(303);
  expect((await visitor.submit(page, { name: 'main', token: '' }, edit)).statusCode).toBe(303);
  const listed = (await visitor.get(hosts)).body;
  expect(listed).toContain('main');
  expect(listed).toContain('Connected');
  for (const { body } of [page, refused, { body: listed }]) expect(body).not.toContain('hushed');
  await server.close();
  await database.close();
});
