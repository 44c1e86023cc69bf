import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mirroredConnections } from '../../../src/app/open/open-graph.ts';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../../../src/backends/codesearch/git/git-source-reader.ts';
import type { CodeSearch, SourceReader } from '../../../src/backends/codesearch/port.ts';
import { mirrorEntities } from '../../../src/features/connectors/entities/mirror-entities.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import { getRepository, searchableNamesById } from '../../../src/features/repositories/repository-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { renderPage } from '../../standins/wiki/page.ts';
import { renderSpace } from '../../standins/wiki/space.ts';
import { wiki } from '../../standins/wiki/wiki-connector.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { commitTo, seedBoundConnection, withStore } from '../../support/connectors/entity-stores.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { openProjecting, type Projecting } from '../../support/graph/projecting.ts';
import { openTestAnswers, publicOrigin, type TestHttp } from '../../support/http/http-server.ts';
import { noLimits } from '../../support/http/no-limits.ts';
import { pageVisitor } from '../../support/http/page-visitor.ts';
import { openPerson, openTestPages } from '../../support/http/pages.ts';
import { password } from '../../support/identity/oauth-http.ts';
import { targetFor } from '../../support/mirror/mirroring.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const createdAt = '2026-03-03T01:02:03Z';
const ada = { id: 'u1', name: 'Ada' };
const page = renderPage({
  id: '7',
  url: 'https://wiki.example/7',
  title: 'Runbook of the checkout',
  space: 'OPS',
  author: ada,
  reviewed: '2026-03-01',
  createdAt,
  body: 'Restart `src/checkout.ts` <b>gently</b>.',
  comments: [{ id: 'c1', author: ada, createdAt, body: 'Still true in march.' }],
});

describe('a connector with kinds of its own', () => {
  let [projecting, codeSearch, sources, http]: [Projecting, CodeSearch, SourceReader, TestHttp] = [] as never;
  let connectionId: string;
  let files: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const dataDir = temporaryFolder();
    const root = join(dataDir, 'index');
    const codeIndex = openTestIndex({ root, log: silentLog });
    const all = [...connectors, wiki];
    projecting = await openProjecting(() => openTestDatabase('sqlite'), undefined, {
      codeIndex,
      dataDir,
      connectors: all,
    });
    const { database, scope } = projecting;
    const { queries } = database;

    const target = await targetFor(database, scope, temporaryFolder());
    const writing = await seedBoundConnection(database, scope, 'wiki-1', target.id);
    const rendered = [page, renderSpace({ id: 'OPS', name: 'Operations' })];
    await withStore(database, writing, (store) => mirrorEntities(store, rendered, 'edit'), wiki.records);
    const tree = new Map<string, string>();
    await commitTo(database, tree);
    files = Object.fromEntries(tree);

    const source = createRepository({
      ...files,
      'src/checkout.ts': '// WIKI-7\nexport const checkout = 1;\n',
    });
    const repository = await projecting.add(source.folder);
    connectionId = await projecting.bind(repository, 'wiki');
    const binding = { repository: 'acme/context', target_id: target.id, scope: '{}' };
    await queries.updateTable('connections').set(binding).where('id', '=', connectionId).execute();

    codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
    sources = openGitSourceReader({
      mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
      indexedCommit: async (owner, id) => (await getRepository(queries, owner, id))?.indexedCommit,
    });
    const knowledge = {
      graph: projecting.graph,
      sources,
      records: all.map(({ records }) => records),
      repositoryNames: (owner: typeof scope) => searchableNamesById(queries, owner),
      mirroredConnections: (owner: typeof scope) => mirroredConnections(queries, owner),
    };
    const answers = openTestAnswers(database, publicOrigin, { codeSearch, sources });
    const identity = { queries, clock: systemClock };
    const deps = { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge };
    http = await openTestPages(database, {
      codeSearch,
      sources,
      knowledge,
      limits: noLimits,
      plugins: [{ name: 'mcp', plugin: mcpRoute({ deps, log: silentLog }) }],
    });
  });
  afterAll(async () => {
    await http?.server.close();
    await Promise.all([codeSearch?.close(), sources?.close()]);
    await projecting?.close();
    await projecting?.database.close();
  });

  // The shapes of responses are asserted by the tests.
  // oxlint-disable-next-line typescript/no-explicit-any
  const get = async (path: string): Promise<any> =>
    (await http.call({ method: 'GET', url: `/acme/api/v1${path}` })).json();
  // oxlint-disable-next-line typescript/no-explicit-any
  const mcp = async (method: string, params: object): Promise<any> => {
    const answer = await http.call({
      method: 'POST',
      url: '/mcp?orgSlug=acme',
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      payload: { jsonrpc: '2.0', id: 1, method, params },
    });
    return JSON.parse(/^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body).result;
  };

  it('has files below its own folder', () => {
    expect(files).toEqual({
      'wiki/pages/OPS/7.md': expect.stringContaining('title: Runbook of the checkout'),
      'wiki/spaces.yaml': '- {"id":"OPS","name":"Operations"}\n',
    });
  });

  it('is found by search', async () => {
    expect(JSON.stringify(await get('/search?q=gently'))).toContain('wiki/pages/OPS/7.md');
  });

  it('is in the graph with its edges, and counted', async () => {
    const key = `page:${connectionId}:7`;
    for (const query of ['q=runbook', 'q=runbook&kind=page']) {
      const { items } = await get(`/graph/entities?${query}`);
      expect(items).toEqual([
        expect.objectContaining({
          key,
          kind: 'page',
          uri: 'ctx://wiki/page/WIKI-7',
          url: 'https://wiki.example/7',
        }),
      ]);
    }
    const { nodes, edges } = await get('/graph/entities/WIKI-7/related');
    expect(edges.map(({ kind, to }: Record<string, string>) => `${kind} ${to}`)).toEqual(
      expect.arrayContaining([`part_of space:${connectionId}:OPS`, 'created_by person:wiki:u1']),
    );
    expect(nodes.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['Operations', 'Ada', 'src/checkout.ts']),
    );
    const { nodes: counted } = await projecting.graph.stats(projecting.scope);
    expect(counted).toMatchObject({ page: 1, space: 1 });
  });

  it('has MCP resources with a template and completion', async () => {
    const { resourceTemplates } = await mcp('resources/templates/list', {});
    expect(resourceTemplates.at(-1)).toMatchObject({ name: 'wiki', uriTemplate: 'ctx://wiki/{type}/{id}' });
    for (const uri of ['ctx://wiki/page/WIKI-7', `ctx://wiki/space/${connectionId}%3AOPS`]) {
      const { contents } = await mcp('resources/read', { uri });
      expect(contents[0].text).toContain('part_of');
    }
    const ref = { type: 'ref/resource', uri: 'ctx://wiki/{type}/{id}' };
    const { completion } = await mcp('completion/complete', { ref, argument: { name: 'type', value: '' } });
    expect(completion.values).toEqual(['page', 'space']);
  });

  it('has a page with its fields, text and comments, in which nothing is markup', async () => {
    const email = 'pia@acme.example.com';
    await openPerson(projecting.database, email, [{ orgSlug: 'acme', role: 'member' }]);
    const visitor = pageVisitor(http.server);
    await visitor.submit(await visitor.get('/.auth/sign-in'), { email, password });
    const { body } = await visitor.get(`/app/acme/entities/${encodeURIComponent(`page:${connectionId}:7`)}`);
    for (const text of ['Reviewed', '2026-03-01', 'Author', 'Ada', 'Comments (1)', 'Still true in march.'])
      expect(body).toContain(text);
    expect(body).toContain('&lt;b>gently&lt;/b>');
    expect((await visitor.get('/app/acme/entities')).body).toContain('<option value="page">');
  });
});
