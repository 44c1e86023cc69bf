import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeKinds } from '../../../src/backends/graph/port.ts';
import { exportName } from '../../../src/features/knowledge/links/keys.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId, type OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { edge, mention, node, unit } from '../../support/graph/graph-facts.ts';
import { type OpenedTestGraph, openTestGraph } from '../../support/graph/opened-graph.ts';
import {
  openTestAnswers,
  openTestHttp,
  publicOrigin,
  type TestHttp,
} from '../../support/http/http-server.ts';
import { noLimits } from '../../support/http/no-limits.ts';
import { silentLog } from '../../support/silent-log.ts';

describeEachDatabase('the interfaces of the knowledge graph', (open) => {
  let [database, graph, http]: [TestDatabase, OpenedTestGraph, TestHttp] = [] as never;
  const [repository, hidden, web] = [newId(), newId(), newId()];
  const file = `file:${repository}:src/a b#ü.ts`;
  const symbol = (path: string, name: string) => `symbol:${repository}:${path}#${name}/function`;
  const [issueKey, tracked] = ['issue:c1:0190-1', { connector: 'tracker', identifier: 'ENG-1' }] as const;
  const manifestLine = 'line 3: @acme/client ^2.1.0 (package.json line 5)';
  const commitKey = `commit:${repository}:${'c'.repeat(40)}`;

  beforeAll(async () => {
    database = await open();
    graph = await openTestGraph(database);
    const identity = { queries: database.queries, clock: systemClock };
    const answers = openTestAnswers(database, publicOrigin, {
      sources: {
        readFile: async (_scope, { path }) => ({
          commit: 'c'.repeat(40),
          path,
          language: 'TypeScript',
          bytes: 5,
          content: 'first\n',
        }),
      },
    });
    const deps = { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: graph };
    http = await openTestHttp(database, {
      knowledge: graph,
      limits: noLimits,
      plugins: [{ name: 'mcp', plugin: mcpRoute({ deps, log: silentLog }) }],
    });
    const acme = await scopeOf('acme');
    await addRepository(acme, repository, 'service', 'indexed');
    await addRepository(acme, hidden, 'gone', 'removing');
    await addRepository(acme, web, 'web', 'indexed');
    await graph.writer.replaceUnits(acme, [
      unit(file, {
        nodes: [
          node(file, 'src/a b#ü.ts'),
          node(symbol('src/a b#ü.ts', 'open'), 'open'),
          node(symbol('src/b.ts', 'start'), 'start'),
          node(symbol('src/b.ts', 'close'), 'close'),
          node(symbol('src/c.ts', 'close'), 'close'),
          node('team:c1:core', 'Core'),
          node(commitKey, 'Open the lease', { sha: 'c'.repeat(40), time: 1_795_419_421, changed: 1 }),
        ],
        edges: [
          edge(file, 'contains', symbol('src/a b#ü.ts', 'open')),
          edge(symbol('src/b.ts', 'start'), 'calls', symbol('src/a b#ü.ts', 'open'), 90, 'imported-name'),
          edge(file, 'owned_by', 'team:c1:core', 100, 'codeowners'),
          edge(`file:${hidden}:x.ts`, 'imports', file),
        ],
      }),
      unit(`file:${hidden}:x.ts`, { nodes: [node(`file:${hidden}:x.ts`, 'src/hidden.ts')] }),
      unit(issueKey, {
        nodes: [
          node(issueKey, 'ENG-1 Open the lease', {
            ...tracked,
            open: true,
            url: 'https://tracker.example/ENG-1',
          }),
          node('alias:ENG-1', 'ENG-1'),
          node('alias:OLD-7', 'OLD-7'),
        ],
        edges: [
          edge('alias:ENG-1', 'alias_of', issueKey),
          edge('alias:OLD-7', 'alias_of', issueKey),
          edge(issueKey, 'mentions', file, 80, 'path-in-text'),
        ],
      }),
    ]);
    const [shop, connect] = [`symbol:${web}:shop.ts#shop/function`, symbol('src/d.ts', 'connect')];
    const exported = exportName('npm', '@acme/client.connect');
    const call = { ...mention(shop, 'calls', exported), rule: 'package', evidence: manifestLine };
    await graph.writer.replaceUnits(acme, [
      unit(`file:${web}:shop.ts`, { nodes: [node(shop, 'shop')], mentions: [call] }),
      unit(`file:${repository}:src/d.ts`, {
        nodes: [node(connect, 'connect'), node(`file:${repository}:src/d.ts`, 'src/d.ts')],
        edges: [edge(`alias:${exported}`, 'alias_of', connect)],
      }),
    ]);
    await graph.writer.replaceUnits(await scopeOf('globex'), [
      unit('issue:c9:9', {
        nodes: [node('issue:c9:9', 'ENG-9 Secret', { identifier: 'ENG-9' }), node('alias:ENG-9', 'ENG-9')],
        edges: [edge('alias:ENG-9', 'alias_of', 'issue:c9:9')],
      }),
    ]);
  });
  afterAll(async () => {
    await http?.server.close();
    await graph?.close();
    await database?.close();
  });

  async function scopeOf(orgSlug: string): Promise<OrgScope> {
    const { id } = await database.queries
      .selectFrom('organizations')
      .where('slug', '=', orgSlug)
      .select('id')
      .executeTakeFirstOrThrow();
    return { organizationId: id as OrganizationId, orgSlug };
  }

  async function addRepository({ organizationId }: OrgScope, id: string, name: string, state: string) {
    const commit = 'c'.repeat(40);
    const row = {
      id,
      organization_id: organizationId,
      name,
      source: `https://example.com/${name}.git`,
      source_kind: 'https',
      branch: 'main',
      further_branches: '[]',
      indexed_branches: '[]',
      left_out_branches: '{}',
      state,
      state_changed_at: 0,
      indexed_commit: commit,
      indexed_at: 0,
      index_generation: 1,
      files: 1,
      bytes: 1,
      skipped: '{}',
      created_at: 0,
    };
    await database.queries
      .insertInto('repositories')
      .values(row as never)
      .execute();
  }

  const get = async (path: string, as: 'member' | 'gil' = 'member', slug = 'acme') => {
    const answer = await http.call({ method: 'GET', url: `/${slug}/api/v1/graph${path}`, as });
    return { status: answer.statusCode, body: answer.json() };
  };
  const at = (key: string) => `/entities/${encodeURIComponent(key)}`;

  // The shapes of responses are asserted by the tests.
  // oxlint-disable-next-line typescript/no-explicit-any
  const mcp = async (method: string, params: object): Promise<any> => {
    const answer = await http.call({
      method: 'POST',
      url: '/mcp?orgSlug=acme',
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      payload: { jsonrpc: '2.0', id: 1, method, params },
    });
    return answer.headers['content-type']?.includes('event-stream')
      ? JSON.parse(/^data: (.*)$/m.exec(answer.body)?.[1] ?? '')
      : answer.json();
  };
  const tool = async (name: string, args: object) =>
    (await mcp('tools/call', { name, arguments: args })).result;

  describe('REST', () => {
    it('finds entities by name and kind, with pages', async () => {
      const { status, body } = await get('/entities?q=eng-1&kind=issue');
      expect(status).toBe(200);
      expect(body).toEqual({
        items: [
          {
            key: issueKey,
            kind: 'issue',
            name: 'ENG-1 Open the lease',
            url: 'https://tracker.example/ENG-1',
            uri: 'ctx://tracker/issue/ENG-1',
            repository: null,
            properties: { identifier: 'ENG-1', open: true },
          },
        ],
        nextCursor: null,
        freshness: { store: 'sql', sequence: expect.any(Number) },
      });
      const first = await get('/entities?q=close&kind=symbol&limit=1');
      const second = await get(`/entities?q=close&kind=symbol&limit=1&cursor=${first.body.nextCursor}`);
      expect([first, second].map(({ body: page }) => page.items[0].key as string).toSorted()).toEqual([
        symbol('src/b.ts', 'close'),
        symbol('src/c.ts', 'close'),
      ]);
      expect((await get('/entities?q=x&kind=nothing')).body.detail).toContain(nodeKinds.join(', '));
    });

    it('returns an entity by its encoded key, an identifier and a former identifier', async () => {
      const named = await get(at(file));
      expect(named.body).toMatchObject({ key: file, repository: 'service' });
      expect(named.body.uri).toBe('ctx://repo/service/file/src/a%20b%23%C3%BC.ts');
      for (const name of ['ENG-1', 'eng-1', 'OLD-7']) {
        expect((await get(`/entities/${name}`)).body).toMatchObject({ key: issueKey });
      }
    });

    it('returns a caller in another repository with the line of its manifest, as the tool does', async () => {
      const entity = symbol('src/d.ts', 'connect');
      const caller = { name: 'shop', repository: 'web' };
      const call = { kind: 'calls', to: entity, rule: 'package', evidence: manifestLine, confidence: 90 };
      const { body } = await get(`${at(entity)}/related?kinds=calls`);
      expect(body.nodes).toContainEqual(expect.objectContaining(caller));
      expect(body.edges).toEqual([expect.objectContaining(call)]);
      const { content } = await tool('find_related', { entity, kinds: ['calls'] });
      expect(content[0].text).toMatch(
        /^1 edge: 1 certain, .*: symbol connect\n.* symbol shop calls .* \(package: /s,
      );
      expect(content[0].text).toContain(manifestLine);
      const impact = await get('/impact?repository=service&symbol=connect');
      expect(impact.body.dependents).toMatchObject([{ entity: caller, edge: call }]);
    });

    it('accepts a key of the maximum length', async () => {
      expect((await get(at(`file:${repository}:${'ü'.repeat(490)}`))).body.detail).toContain('no entity');
    });

    it('returns the neighbours with rule, evidence and confidence', async () => {
      const { body } = await get(`${at(file)}/related?kinds=owned_by,mentions`);
      expect(body.key).toBe(file);
      expect(body.nodes.map(({ key }: { key: string }) => key).toSorted()).toEqual(
        [file, issueKey, 'team:c1:core'].toSorted(),
      );
      const owned = { from: file, kind: 'owned_by', to: 'team:c1:core', confidence: 100 };
      const told = { from: issueKey, kind: 'mentions', to: file, confidence: 80 };
      expect(body.edges).toHaveLength(2);
      const certain = { certainty: 'certain' };
      const evidence = [`codeowners of ${file}`, `path-in-text of ${issueKey}`];
      expect(body.edges).toContainEqual({ ...owned, ...certain, rule: 'codeowners', evidence: evidence[0] });
      expect(body.edges).toContainEqual({ ...told, ...certain, rule: 'path-in-text', evidence: evidence[1] });
      const out = await get(`/entities/ENG-1/related?direction=out&depth=2&kinds=mentions,owned_by`);
      expect(out.body.nodes).toHaveLength(3);
      expect((await get(`${at(file)}/related?limit=1`)).body).toMatchObject({ truncated: true });
      expect((await get(`${at(file)}/related?depth=4`)).status).toBe(400);
    });

    it('refuses unknown kinds, with the known ones', async () => {
      const { status, body } = await get(`${at(file)}/related?kinds=mentions,callz`);
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/^`kinds` .*calls, /)]);
      const around = await tool('find_related', { entity: file, kinds: ['callz'] });
      expect(around).toMatchObject({ isError: true });
      expect(around.content[0].text).toMatch(/^Error: `kinds` .*calls, /);
      const found = await tool('search_entities', { query: 'ENG', kinds: ['isue'] });
      expect(found).toMatchObject({ isError: true });
      expect(found.content[0].text).toMatch(/^Error: `kind` must be one of .*issue.*team\.$/);
      expect((await get('/entities?q=ENG&kind=isue')).body.detail).toMatch(/^`kind` .*issue, .*team/);
    });

    it('says that a commit is linked to some of its paths only', async () => {
      const acme = await scopeOf('acme');
      const key = `commit:${repository}:${'d'.repeat(40)}`;
      const large = node(key, 'Import', { sha: 'd'.repeat(40), changed: 1_010, truncated: true });
      await graph.writer.replaceUnits(acme, [unit(key, { nodes: [large] })]);
      const { body } = await get(`${at(key)}/related`);
      const properties = { changed: 1_010, truncated: true };
      expect(body).toMatchObject({ truncated: false, nodes: [{ properties }] });
      const uri = `ctx://repo/service/commit/${'d'.repeat(40)}`;
      const texts = [
        (await tool('find_related', { entity: key })).content[0].text,
        (await tool('get_entity', { entity: key })).content[0].text,
        (await mcp('resources/read', { uri })).result.contents[0].text,
      ];
      for (const text of texts) {
        expect(text).toContain('This commit changed 1010 paths, more than are linked with it.');
        expect(text).not.toMatch(/limit|call find_related/);
      }
      const small = await tool('find_related', { entity: commitKey });
      expect(small.content[0].text).not.toContain('more than are linked');
      await graph.writer.removeUnits(acme, [key]);
    });

    it('shows what a file or symbol touches', async () => {
      const byPath = await get(`/impact?repository=service&path=${encodeURIComponent('src/a b#ü.ts')}`);
      expect(byPath.body).toMatchObject({
        target: { key: file },
        dependents: [{ entity: { name: 'start' }, edge: { kind: 'calls', rule: 'imported-name' } }],
        owners: [{ entity: { name: 'Core' }, edge: { rule: 'codeowners' } }],
        issues: [{ entity: { key: issueKey } }],
      });
      const bySymbol = await get(`/impact?repository=${repository}&symbol=open`);
      expect(bySymbol.body.target.key).toBe(symbol('src/a b#ü.ts', 'open'));
      const relative = `path=${encodeURIComponent('./src/a b#ü.ts')}`;
      expect((await get(`/impact?repository=service&${relative}`)).body.target?.key).toBe(file);
      const inFile = await get(`/impact?repository=service&symbol=open&${relative}`);
      expect(inFile.body.target?.key).toBe(symbol('src/a b#ü.ts', 'open'));
      const ambiguous = await get('/impact?repository=service&symbol=close');
      expect([ambiguous.status, ambiguous.body.detail]).toEqual([400, expect.stringContaining('src/b.ts')]);
      const chosen = await get('/impact?repository=service&symbol=close&path=src/c.ts');
      // The file of the symbol is not in the graph.
      expect(chosen.status).toBe(404);
      expect((await get('/impact?repository=service')).status).toBe(400);
      expect((await get('/impact?repository=gone&path=x.ts')).status).toBe(404);
    });

    it('leaves out the code of a repository that is being removed', async () => {
      expect((await get('/entities?q=hidden')).body.items).toEqual([]);
      expect((await get(at(`file:${hidden}:x.ts`))).status).toBe(404);
      expect(JSON.stringify((await get(`${at(file)}/related`)).body)).not.toContain(hidden);
    });

    it('shows nothing of another organization', async () => {
      for (const name of ['issue:c9:9', 'ENG-9', 'issue:c9:8', 'ENG-8', 'nothing:x', 'x\u0000']) {
        const { status, body } = await get(at(name));
        expect([name, status, body.detail]).toEqual([name, 404, expect.stringContaining('no entity')]);
        expect((await get(`${at(name)}/related`)).status).toBe(404);
      }
      expect((await get('/entities?q=ENG-9')).body.items).toEqual([]);
      expect((await get('/entities/ENG-9', 'gil', 'globex')).body).toMatchObject({ name: 'ENG-9 Secret' });
      expect((await get('/impact?repository=service&path=x.ts', 'gil', 'globex')).status).toBe(404);
    });
  });

  describe('MCP', () => {
    it('answers with one text, whose addresses it takes', async () => {
      const found = await tool('search_entities', { query: 'ENG', kinds: ['issue'] });
      expect(found.content[0].text).toContain('ctx://tracker/issue/ENG-1: issue "ENG-1 Open the lease"');
      const entity = await tool('get_entity', { entity: 'ctx://tracker/issue/ENG-1' });
      const address = 'service/src/a b#ü.ts';
      expect(entity.content[0].text).toContain(
        `ctx://tracker/issue/ENG-1 mentions ${address} (path-in-text: `,
      );
      for (const named of [file, address, `${address}:1`]) {
        const around = await tool('find_related', { entity: named, kinds: ['owned_by'] });
        expect(around.content[0].text).toMatch(/owned_by .*\(codeowners: /);
        expect(around.content[0].text).toContain('team "Core"');
      }
      expect(await tool('find_related', { entity: 'ENG-9' })).toMatchObject({ isError: true });
      const wrong = await tool('get_entity', { entity: 'servise/src/a.ts' });
      expect(wrong.content[0].text).toMatch(/^Error: .*did you mean `service\/src\/a\.ts`/);
    });

    it('finds the files and commits that citations name', async () => {
      const fileUri = 'ctx://repo/service/file/src/a%20b%23%C3%BC.ts';
      for (const uri of [fileUri, `${fileUri}?ref=${'c'.repeat(40)}`]) {
        const { content } = await tool('get_entity', { entity: uri });
        expect([uri, content[0].text]).toEqual([
          uri,
          expect.stringMatching(/^service\/src\/a b#ü\.ts: file/),
        ]);
        expect((await tool('find_related', { entity: uri })).content[0].text).toContain(
          'service/src/a b#ü.ts: file',
        );
      }
      const commit = `ctx://repo/service/commit/${'c'.repeat(40)}`;
      const { content } = await tool('get_entity', { entity: commit });
      expect(content[0].text).toMatch(/^service@c{12}: commit .*time: 2026-11-23T07:37:01\.000Z/);
      for (const uri of [
        'ctx://repo/gone/file/x.ts',
        'ctx://repo/service/file/none.ts',
        'ctx://repo/service/file/%zz',
      ])
        expect([uri, await tool('get_entity', { entity: uri })]).toMatchObject([uri, { isError: true }]);
    });

    it('bounds an answer about an entity with long names and many edges', async () => {
      const hub = 'label:c1:hub';
      const name = `\u001b[31m${'超时'.repeat(500)}`;
      const nodes = Array.from({ length: 120 }, (_, index) => node(`issue:c1:n${index}`, name));
      const edges = nodes.map(({ key }) => edge(key, 'labelled', hub));
      const units = [unit(hub, { nodes: [node(hub, 'hub'), ...nodes], edges })];
      await graph.writer.replaceUnits(await scopeOf('acme'), units);
      const own = await tool('get_entity', { entity: hub });
      expect(Buffer.byteLength(own.content[0].text)).toBeLessThanOrEqual(11_600);
      const [{ text }] = (await tool('find_related', { entity: hub, limit: 100 })).content;
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(19_000);
      expect(text).toContain('A limit left something out');
      expect(text).not.toContain('\u001b');
      const { result } = await mcp('resources/read', { uri: 'ctx://tracker/label/c1%3Ahub' });
      const lines: readonly string[] = result.contents[0].text.split('\n');
      expect(lines.filter((line) => line.includes(' labelled ')).length).toBeGreaterThan(25);
      expect(lines.at(-1)).toBe('(There are more connections: call find_related.)');
      const all = await get(`${at(hub)}/related?limit=500`);
      expect([all.body.nodes.length, all.body.truncated]).toEqual([121, false]);
    });

    it('serves files and records as resources, with templates and completion', async () => {
      const { result } = await mcp('resources/templates/list', {});
      expect(result.resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual(
        [
          'ctx://repo/{repo}/file/{+path}{?ref}',
          'ctx://repo/{repo}/commit/{sha}',
          'ctx://tracker/{type}/{id}',
          'ctx://oncall/{type}/{id}',
        ],
      );
      const read = async (uri: string) => mcp('resources/read', { uri });
      expect((await read('ctx://repo/service/file/src/a.ts')).result.contents).toEqual([
        {
          uri: 'ctx://repo/service/file/src/a.ts',
          mimeType: 'text/plain',
          text: expect.stringContaining('first'),
        },
      ]);
      expect((await read('ctx://tracker/issue/ENG-1')).result.contents[0].text).toContain('Open the lease');
      for (const uri of [
        'ctx://tracker/issue/ENG-9',
        'ctx://repo/gone/file/x.ts',
        'file:///etc/passwd',
        'ctx://x',
      ]) {
        expect([uri, (await read(uri)).error.code]).toEqual([uri, -32_602]);
      }
      const complete = async (uri: string, name: string, value: string) => {
        const params = { ref: { type: 'ref/resource', uri }, argument: { name, value } };
        return (await mcp('completion/complete', params)).result.completion.values;
      };
      expect(await complete('ctx://repo/{repo}/file/{+path}{?ref}', 'repo', 'S')).toEqual(['service']);
      expect(await complete('ctx://repo/{repo}/file/{+path}{?ref}', 'repo', 'g')).toEqual([]);
      expect(await complete('ctx://tracker/{type}/{id}', 'type', 'i')).toEqual(['issue', 'initiative']);
    });
  });
});
