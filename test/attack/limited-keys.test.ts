import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/features/identity/api-keys/create-api-key.ts';
import { ensureUser } from '../../src/features/identity/people/user-store.ts';
import type { Repository } from '../../src/features/repositories/repository.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import type { RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { mcpRoute } from '../../src/surfaces/mcp/route.ts';
import { tools } from '../../src/surfaces/mcp/tools/all.ts';
import { commitAt, issue, recordFiles } from '../support/advisor/example-organization.ts';
import { type OpenedAdvisor, openAdvisor } from '../support/advisor/opened-advisor.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { openTestHttp, publicOrigin, type TestHttp } from '../support/http/http-server.ts';
import { noLimits } from '../support/http/no-limits.ts';
import { routeCalls } from '../support/identity/organization-matrix.ts';
import { silentLog } from '../support/silent-log.ts';

/** A word of everything that the limited key must not read: names, paths, code, people, messages, records. */
const hiddenWord = 'quetzal';
const hiddenIssue = 'HID-7';

let advisor: OpenedAdvisor;
let http: TestHttp;
let shown: Repository;
let hidden: Repository;
let records: Repository;
/** The ids of the two commits of `shown`. */
let opening = '';
let closing = '';
/** Keys for `shown`, for `shown` and `records`, for all, and for a repository that was removed. */
const keys = { limited: '', mirrored: '', whole: '', gone: '' };
type Key = keyof typeof keys;

beforeAll(async () => {
  advisor = await openAdvisor();
  const { deps, projecting } = advisor;
  const open = createRepository();
  const client =
    "import { renewLease } from '@acme/leases';\nexport function openLease() {\n  return renewLease();\n}\n";
  commitAt(open, '2029-01-01T00:00:00Z', `Open the lease, see ${hiddenIssue}`, {
    'package.json': '{ "name": "shown", "dependencies": { "@acme/leases": "1" } }',
    'src/open.ts': client,
  });
  // A person with the same address has another name in each repository.
  const close = { 'src/close.ts': 'export function closeLease() {}\n' };
  commitAt(open, '2029-01-03T00:00:00Z', `Close the lease, see ${hiddenIssue}`, close, 'zacharias zeta');
  const other = createRepository();
  const code = `export function renewLease() {\n  return '${hiddenWord}';\n}\nexport function ${hiddenWord}Lease() {}\nexport function openLagoon() {}\n`;
  const files = {
    'package.json': '{ "name": "@acme/leases", "main": "src/quetzal.ts" }',
    'src/quetzal.ts': code,
    CODEOWNERS: `* @${hiddenWord}`,
    'README.md': `# ${hiddenWord}\n\nThe lease of the ${hiddenWord}.\n`,
  };
  commitAt(other, '2029-01-02T00:00:00Z', `Renew the ${hiddenWord} (#7)`, files, `${hiddenWord} person`);
  const record = issue('i7', hiddenIssue, {
    title: `The ${hiddenWord} fails`,
    body: `Its lease, ${hiddenWord}.`,
  });
  [closing = '', opening = ''] = open.git('log', '--format=%H').trim().split('\n');
  shown = await projecting.add(open.folder);
  hidden = await projecting.add(other.folder);
  records = await projecting.add(createRepository(recordFiles(record)).folder);
  await projecting.bind(records, 'tracker');
  const { queries } = projecting.database;
  await queries.updateTable('repositories').set({ name: hiddenWord }).where('id', '=', hidden.id).execute();
  await queries.updateTable('repositories').set({ name: 'records' }).where('id', '=', records.id).execute();
  await queries.updateTable('repositories').set({ name: 'shown' }).where('id', '=', shown.id).execute();
  await advisor.compact();
  const identity = { queries, clock: systemClock };
  const mcp = mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers: deps, knowledge: deps.knowledge },
    log: silentLog,
  });
  http = await openTestHttp(projecting.database, {
    codeSearch: deps.codeSearch,
    sources: deps.sources,
    knowledge: deps.knowledge,
    limits: noLimits,
    plugins: [{ name: 'mcp', plugin: mcp }],
  });
  // An owner, whose role must not count.
  const { id: userId } = await ensureUser(queries, 'owner@example.com', systemClock);
  const { organizationId } = projecting.scope;
  const make = async (name: string, repositories?: readonly RepositoryId[]): Promise<string> =>
    (await createApiKey(queries, { userId, name, organizationId, repositories }, systemClock)).apiKey;
  keys.limited = await make('limited', [shown.id]);
  keys.mirrored = await make('mirrored', [shown.id, records.id]);
  keys.whole = await make('whole');
  keys.gone = await make('gone', ['01990000-0000-7000-8000-000000000000' as RepositoryId]);
});
afterAll(async () => {
  await http?.server.close();
  await advisor?.close();
});

async function send(key: Key, method: string, url: string, payload?: object) {
  const headers = {
    authorization: `Bearer ${keys[key]}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const answer = await http.server.inject({
    method: method as 'GET',
    url,
    headers,
    ...(payload && { payload }),
  });
  return { status: answer.statusCode, body: answer.body };
}

const graph = (key: Key, path: string) => send(key, 'GET', `/acme/api/v1/graph/${path}`);
const keyOf = (commit: string): string => encodeURIComponent(`commit:${shown.id}:${commit}`);

async function rpc(key: Key, method: string, params: object): Promise<string> {
  const payload = { jsonrpc: '2.0', id: 1, method, params };
  return (await send(key, 'POST', '/mcp?orgSlug=acme', payload)).body;
}

/** Returns calls of a tool that would show the hidden repository. */
function argumentsOf(tool: string): readonly object[] {
  const place = { repository: hiddenWord, path: 'src/quetzal.ts' };
  const entities = [
    `file:${hidden.id}:src/quetzal.ts`,
    `repo:${hidden.id}`,
    hiddenIssue,
    `alias:${hiddenIssue}`,
    `ctx://repo/${hiddenWord}/file/src/quetzal.ts`,
    `symbol:${shown.id}:src/open.ts#openLease/function`,
    `repo:${shown.id}`,
  ];
  const known: Readonly<Record<string, readonly object[]>> = {
    svc_advisor: [
      `Where is ${hiddenWord}Lease defined?`,
      'Who owns the lease?',
      'What calls renewLease?',
      `What about ${hiddenIssue}?`,
      'How is a lease renewed?',
      'Which repositories are there?',
    ].map((prompt) => ({ prompt })),
    search_code: ['quetzal', 'renewLease', `repo:${hiddenWord}`, 'sym:renewLease', 'file:quetzal'].map(
      (query) => ({ query }),
    ),
    find_symbol: [
      { name: 'renewLease' },
      { name: `${hiddenWord}Lease` },
      { name: `${hiddenWord}Lease.renewLease` },
      { name: 'x', repositories: [hiddenWord] },
    ],
    read_file: [place, { places: [`${hiddenWord}/src/quetzal.ts`] }],
    list_tree: [{ repository: hiddenWord }],
    search_entities: [hiddenWord, 'renewLease', hiddenIssue, 'lease'].map((query) => ({ query })),
  };
  return (
    known[tool] ?? [
      {},
      ...entities.map((entity) => ({
        entity,
        repository: hiddenWord,
        name: 'renewLease',
        query: 'lease',
        commit: hidden.indexedCommit,
      })),
    ]
  );
}

/** What a request itself says is no leak. */
function leaks(body: string, sent: string): boolean {
  const own = sent.toLowerCase().includes(hiddenWord)
    ? body
        .replace(`"name":"${hiddenWord}"`, '')
        .replaceAll(new RegExp(`\`[^\`]*${hiddenWord}[^\`]*\``, 'giu'), '')
    : body;
  return own.toLowerCase().includes(hiddenWord);
}

describe('a key that is limited to a repository', () => {
  it.each(tools.map(({ listing }) => listing.name))('shows nothing of others through %s', async (name) => {
    let hasWhole = false;
    for (const args of argumentsOf(name)) {
      const sent = JSON.stringify(args);
      for (const key of ['limited', 'gone'] as const) {
        const body = await rpc(key, 'tools/call', { name, arguments: args });
        expect([sent, leaks(body, sent) ? body : 'no leak']).toEqual([sent, 'no leak']);
      }
      hasWhole ||= leaks(await rpc('whole', 'tools/call', { name, arguments: args }), '');
    }
    // The calls reach what is hidden. The status names no repository that is indexed.
    expect(hasWhole || name.endsWith('status')).toBe(true);
  });

  it('shows its own repository', async () => {
    const body = await rpc('limited', 'tools/call', {
      name: 'search_code',
      arguments: { query: 'openLease' },
    });
    expect(body).toContain('src/open.ts');
    const gone = await rpc('gone', 'tools/call', { name: 'search_code', arguments: { query: 'openLease' } });
    expect(gone).not.toContain('src/open.ts');
  });

  it('shows the records of a context repository only if that is its own', async () => {
    const call = { name: 'get_entity', arguments: { entity: hiddenIssue } };
    expect(await rpc('mirrored', 'tools/call', call)).toContain(`The ${hiddenWord} fails`);
    expect(await rpc('limited', 'tools/call', call)).not.toContain('fails');
  });

  it('names people as its repositories do', async () => {
    const related = async (key: Key) => (await graph(key, `entities/${keyOf(closing)}/related`)).body;
    expect(await related('limited')).toContain('zacharias zeta');
    expect(await related('limited')).not.toContain(hiddenWord);
    expect(await related('whole')).toContain(`${hiddenWord} person`);
  });

  it('is not led through records of others to what is its own', async () => {
    const from = `entities/${keyOf(opening)}/related?depth=2`;
    expect((await graph('whole', from)).body).toContain(closing);
    expect((await graph('limited', from)).body).not.toContain(closing);
  });

  it('finds its own names behind those of others', async () => {
    const search = 'entities?q=openL&limit=1';
    expect((await graph('whole', search)).body).toContain('openLagoon');
    const { items } = JSON.parse((await graph('limited', search)).body);
    expect(items).toEqual([expect.objectContaining({ name: 'openLease' })]);
  });

  it('finds all of its own names page by page, and learns no name from a cursor', async () => {
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await graph(
        'limited',
        `entities?q=lease&kind=symbol,issue&limit=1${cursor && `&cursor=${cursor}`}`,
      );
      const page = JSON.parse(body) as { items: { name: string }[]; nextCursor: string | null };
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
      expect(Buffer.from(cursor ?? '', 'base64url').toString()).not.toMatch(/renew|quetzal|lagoon/iu);
    }
    expect(names.toSorted()).toEqual(['closeLease', 'openLease']);
  });

  it('continues a search of its own only', async () => {
    const { nextCursor } = JSON.parse((await graph('limited', 'entities?q=lease&kind=symbol&limit=1')).body);
    const next = (query: string) => graph('limited', `entities?${query}&limit=1&cursor=${nextCursor}`);
    expect((await next('q=lease&kind=symbol')).status).toBe(200);
    for (const query of ['q=leases&kind=symbol', 'q=lease', 'q=lease&kind=symbol,file']) {
      const { status, body } = await next(query);
      expect([status, body]).toEqual([400, expect.stringContaining('belongs to another query')]);
    }
  });

  it('cannot count what is connected with its own code elsewhere', async () => {
    const key = encodeURIComponent(`symbol:${shown.id}:src/open.ts#openLease/function`);
    const related = async (as: Key) =>
      JSON.parse((await graph(as, `entities/${key}/related?direction=out&limit=1`)).body);
    expect(await related('whole')).toMatchObject({ nodes: [{}, { repository: hiddenWord }] });
    expect(await related('limited')).toMatchObject({ nodes: [{}], edges: [], truncated: false });
    // Its commit has hidden neighbours too: the issue that it names.
    const ofCommit = async (limit: number) =>
      JSON.parse((await graph('limited', `entities/${keyOf(opening)}/related?limit=${limit}`)).body);
    const { nodes } = await ofCommit(50);
    expect(await ofCommit(nodes.length - 1)).toMatchObject({ nodes, truncated: false });
  });

  it('sees no counter that changes of others raise', async () => {
    const paths = [
      'entities?q=lease',
      `entities/${keyOf(opening)}/related`,
      'impact?repository=shown&path=src/open.ts',
    ];
    for (const path of paths) {
      expect(JSON.parse((await graph('whole', path)).body).freshness.sequence).toBeGreaterThan(0);
      expect(JSON.parse((await graph('limited', path)).body).freshness).toEqual({ store: 'sql' });
    }
  });

  it('reads no resource and completes no name of others', async () => {
    for (const uri of [
      `ctx://repo/${hiddenWord}/file/src/quetzal.ts`,
      `ctx://tracker/issue/${hiddenIssue}`,
    ]) {
      expect(
        leaks(await rpc('limited', 'resources/read', { uri }), '') &&
          !(await rpc('limited', 'resources/read', { uri })).includes('"error"'),
      ).toBe(false);
      expect(await rpc('whole', 'resources/read', { uri })).toContain('contents');
    }
    const ref = { type: 'ref/resource', uri: 'ctx://repo/{repo}/file/{+path}{?ref}' };
    const completed = await rpc('limited', 'completion/complete', {
      ref,
      argument: { name: 'repo', value: '' },
    });
    expect(completed).not.toContain(hiddenWord);
    expect(completed).toContain('shown');
  });

  it.each(Object.entries(routeCalls))('reads nothing of others or is refused at %s', async (route, call) => {
    const [method = '', path = ''] = route.split(' ');
    const ids: Readonly<Record<string, string>> = {
      repository: hidden.id,
      entity: encodeURIComponent(`file:${hidden.id}:src/quetzal.ts`),
    };
    const named = ids[call.names ?? ''] ?? '01990000-0000-7000-8000-000000000000';
    const query = (call.query ?? '')
      .replace('{slug}-secret-repositories-name', hiddenWord)
      .replaceAll('{slug}', hiddenWord)
      .replace('secret', hiddenWord);
    const url = `/acme/api/v1${path.replace(':commit', hidden.indexedCommit ?? '').replace(/:\w+/, named)}?${query}`;
    const { status, body } = await send('limited', method, url, call.payload);
    const isRead =
      method === 'GET'
        ? /^GET \/(?:repositories|search|graph|history|references)/.test(route)
        : /ask|context/.test(path);
    if (isRead) expect(status).not.toBe(403);
    else {
      const detail = expect.stringContaining('This API key only reads its repositories');
      expect([status, JSON.parse(body)]).toEqual([
        403,
        expect.objectContaining({ code: 'forbidden', detail }),
      ]);
    }
    expect(leaks(body, url) ? body : 'no leak').toBe('no leak');
  });

  it('names no repository of others whose graph is behind', async () => {
    const { queries } = advisor.projecting.database;
    const behind = queries.updateTable('repositories').where('id', '=', hidden.id);
    await behind.set({ graph_commit: null }).execute();
    const call = { name: 'find_references', arguments: { name: 'openLease' } };
    expect(await rpc('whole', 'tools/call', call)).toContain(hiddenWord);
    expect(await rpc('limited', 'tools/call', call)).not.toContain(hiddenWord);
    await behind.set({ graph_commit: hidden.indexedCommit ?? null }).execute();
  });

  it('is made over REST, bound to the organization, and makes no other', async () => {
    const make = (key: Key, repositories: unknown) =>
      send(key, 'POST', '/acme/api/v1/api-keys', { name: 'ci', repositories });
    expect((await make('limited', [shown.id])).status).toBe(403);
    expect((await make('whole', [])).status).toBe(400);
    expect((await make('whole', ['none'])).status).toBe(400);
    // It does not become a key for all repositories.
    const none = await make('whole', null);
    expect([none.status, none.body]).toEqual([400, expect.stringContaining('leave it out')]);
    const made = await make('whole', [shown.id]);
    expect([made.status, JSON.parse(made.body)]).toEqual([
      201,
      expect.objectContaining({ repositories: [shown.id], organization: { slug: 'acme' } }),
    ]);
    keys.limited = JSON.parse(made.body).apiKey;
    expect((await send('limited', 'GET', '/acme/api/v1/repositories')).body).not.toContain(hiddenWord);
  });
});
