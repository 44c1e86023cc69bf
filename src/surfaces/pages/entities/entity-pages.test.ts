import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { node, unit } from '../../../../test/support/graph/graph-facts.ts';
import {
  type OrganizationPages,
  openOrganizationPages,
} from '../../../../test/support/http/organization-pages.ts';
import { type PageVisitor, pageVisitor } from '../../../../test/support/http/page-visitor.ts';
import { password } from '../../../../test/support/identity/oauth-http.ts';
import { createConnection } from '../../../features/connectors/connections/create-connection.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';

describe('the page of a mirrored record', () => {
  let world: OrganizationPages;
  let visitor: PageVisitor;
  let key: string;

  beforeAll(async () => {
    world = await openOrganizationPages();
    visitor = pageVisitor(world.service.server);
    const { email } = world.service.people.ann;
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    const { database, scope, graph } = world;
    const id = await createConnection({ database, clock: systemClock }, scope, { kind: 'oncall' });
    key = `incident:${id}:1`;
    const properties = { path: 'README.md', createdAt: new Date().toISOString() };
    await graph.writer.replaceUnits(scope, [unit(key, { nodes: [node(key, 'Checkout fails', properties)] })]);
  });
  afterAll(() => world?.close());

  const show = async (): Promise<string> =>
    (await visitor.get(`/app/acme/entities/${encodeURIComponent(key)}`)).body;

  it('leads to its file in the context repository, as soon as that is searchable', async () => {
    expect(await show()).not.toContain('Read the mirrored record');
    const { queries } = world.database;
    const at = { githost_connection_id: 'host', host_repository_id: '7' };
    const bound = { ...at, repository: 'team/service', branch: 'main', target_id: 'target', scope: '{}' };
    await queries.updateTable('connections').set(bound).execute();
    expect(await show()).not.toContain('Read the mirrored record');
    await queries.updateTable('repositories').set(at).where('id', '=', world.repository.id).execute();
    const address = /<a href="([^"]+)">Read the mirrored record/.exec(await show())?.[1];
    const file = await visitor.get(address?.replaceAll('&amp;', '&') ?? '/');
    expect([file.statusCode, file.body]).toEqual([200, expect.stringContaining('It renews each lease.')]);
  });

  it('leads to the search by name if it is not in the graph', async () => {
    const { statusCode, body } = await visitor.get('/app/acme/entities/label:c1:none');
    expect(statusCode).toBe(404);
    expect(body).toContain('<a href="/app/acme/entities">Find it by its name</a>');
    expect(body).not.toContain('search_entities');
  });

  it('says that a commit changed more paths than are linked', async () => {
    const commit = `commit:${world.repository.id}:${'d'.repeat(40)}`;
    const properties = { changed: 1_010, truncated: true };
    const facts = { nodes: [node(commit, 'Import', properties)] };
    await world.graph.writer.replaceUnits(world.scope, [unit(commit, facts)]);
    const { body } = await visitor.get(`/app/acme/entities/${encodeURIComponent(commit)}`);
    expect(body).toContain('This commit changed 1010 paths, more than are linked with it.');
  });

  it('shows a commit that only Git has, with its files', async () => {
    const commit = `commit:${world.repository.id}:${world.source.git('rev-parse', 'HEAD')}`;
    const { statusCode, body } = await visitor.get(`/app/acme/entities/${encodeURIComponent(commit)}`);
    expect([statusCode, body]).toEqual([200, expect.stringContaining('Start')]);
    expect(body).toContain('src/lease.ts');
    const missing = `commit:${world.repository.id}:${'e'.repeat(40)}`;
    expect((await visitor.get(`/app/acme/entities/${encodeURIComponent(missing)}`)).statusCode).toBe(404);
  });

  it('shows times as ages', async () => {
    expect(await show()).toMatch(/Created at<\/dt><dd><time[^>]*>less than a minute ago/);
  });
});
