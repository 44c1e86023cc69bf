import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GraphReader } from '../../../src/backends/graph/port.ts';
import { answerRecord } from '../../../src/features/advisor/answer.ts';
import { relatedEntities } from '../../../src/features/knowledge/ask-graph.ts';
import { commitKey, fileKey, pullKey } from '../../../src/features/knowledge/links/keys.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { commitAt, issue, recordFiles } from '../../support/advisor/example-organization.ts';
import { type OpenedAdvisor, openAdvisor } from '../../support/advisor/opened-advisor.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { writeCollidingCommits } from '../../support/git/written-commits.ts';
import { openTestHttp, publicOrigin, type TestHttp } from '../../support/http/http-server.ts';
import { noLimits } from '../../support/http/no-limits.ts';
import { runCli } from '../../support/program/command-line.ts';
import { silentLog } from '../../support/silent-log.ts';

let advisor: OpenedAdvisor;
let http: TestHttp;
let url: string;
let code: TestRepository;
let repository: Repository;
/** Ids of the commits of the fixture by their role. */
const ids = {
  start: '',
  huge: '',
  later: '',
  merged: '',
  merge: '',
  branch: '',
  dangling: '',
  twins: ['', ''] as readonly [string, string],
};

const retry = (pauses: number): string =>
  `/** Tries again with growing pauses. */\nexport function retryWithBackoff(): number {\n  return ${pauses};\n}\n`;

/** Builds a history in which the graph has only `merge`, `later` and the merge of the twins. */
function createHistory(): void {
  const head = (): string => code.git('rev-parse', 'HEAD');
  code = createRepository();
  const mailmap = 'Grace M. Hopper <hopper@example.com> <grace@example.com>\n';
  const files = { '.mailmap': mailmap, 'src/retry.ts': retry(1), 'src/main.ts': "import './retry.ts';\n" };
  commitAt(code, '2025-01-01T00:00:00Z', 'Start with one pause\n\nHarbours answered at once then.', files);
  ids.start = head();
  writeFileSync(join(code.folder, '.git/message'), `Import the archive\n\n${'word '.repeat(1_700_000)}`);
  code.git('commit', '--quiet', '--allow-empty', '--file', '.git/message');
  ids.huge = head();
  commitAt(code, '2025-02-01T00:00:00Z', 'Describe the harbour', { 'README.md': '# Ferry\n' });
  ids.later = head();
  code.git('checkout', '--quiet', '-b', 'topic');
  const why =
    'Pause longer between attempts of retryWithBackoff\n\nClosed harbours block callers that ask too often.';
  const trailers = 'Closes ENG-12.\n\nCo-authored-by: Grace Hopper <grace@example.com>';
  commitAt(code, '2025-03-01T00:00:00Z', `${why}\n\n${trailers}`, { 'src/retry.ts': retry(3) });
  ids.merged = head();
  code.git('checkout', '--quiet', 'main');
  const merge = 'Merge pull request #9 from acme/eng-12-pauses';
  code.git('merge', '--quiet', '--no-ff', 'topic', '--message', `${merge}\n\nGrow the pauses`);
  ids.merge = head();
  ids.twins = writeCollidingCommits(code);
  code.git('reset', '--quiet', '--hard', ids.twins[0]);
  code.git('merge', '--quiet', '--no-ff', ids.twins[1], '--message', 'Merge twins');
  code.git('checkout', '--quiet', '-b', 'release', ids.later);
  ids.dangling = code.commit({ 'src/retry.ts': retry(99) }, 'Withdrawn: the secret pause');
}

beforeAll(async () => {
  createHistory();
  code.git('checkout', '--quiet', 'main');
  advisor = await openAdvisor();
  const { deps, projecting } = advisor;
  const added = await projecting.add(code.folder, { branches: ['release'] });
  // A force push leaves the commit in the mirror, where no branch reaches it.
  code.git('checkout', '--quiet', '-B', 'release', ids.later);
  ids.branch = code.commit({ 'src/retry.ts': retry(2) }, 'Keep two pauses (#4)');
  code.git('checkout', '--quiet', 'main');
  await projecting.push(added);
  repository = await projecting.read(added);
  const mirrored = await projecting.add(createRepository(recordFiles(issue('i12', 'ENG-12'))).folder);
  await projecting.bind(mirrored, 'tracker');
  const identity = { queries: projecting.database.queries, clock: systemClock };
  const { knowledge } = deps;
  const mcp = mcpRoute({
    deps: { baseUrl: publicOrigin, version: '1.2.3', identity, answers: deps, knowledge },
    log: silentLog,
  });
  http = await openTestHttp(projecting.database, {
    codeSearch: deps.codeSearch,
    sources: deps.sources,
    knowledge,
    limits: noLimits,
    plugins: [{ name: 'mcp', plugin: mcp }],
  });
  url = await http.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await http?.server.close();
  await advisor?.close();
});

// The shapes of responses are asserted by the tests.
// oxlint-disable-next-line typescript/no-explicit-any
type Answered = any;

async function rpc(
  method: string,
  params: object,
  slug = 'acme',
  as: 'member' | 'gil' = 'member',
): Promise<Answered> {
  const answer = await http.call({
    method: 'POST',
    url: `/mcp?orgSlug=${slug}`,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method, params },
    as,
  });
  return JSON.parse(answer.body.slice(Math.max(0, answer.body.indexOf('{'))));
}

const keyOf = (id: string): string => commitKey(repository.id, id);
const uriOf = (id: string): string => `ctx://repo/${encodeURIComponent(repository.name)}/commit/${id}`;
const addressOf = (id: string): string => `${repository.name}@${id.slice(0, 12)}`;

async function rest(entity: string, end = '', slug = 'acme', as: 'member' | 'gil' = 'member') {
  const path = `/${slug}/api/v1/graph/entities/${encodeURIComponent(entity)}${end}`;
  const answer = await http.call({ method: 'GET', url: path, as });
  return { status: answer.statusCode, body: answer.json() };
}

async function cli(...words: readonly string[]) {
  const env = { ORGCTX_URL: url, ORGCTX_ORG: 'acme', ORGCTX_API_KEY: http.keys.member };
  return runCli(['graph', ...words, '--json'], { env });
}

const tool = async (name: string, args: object, slug?: string, as?: 'gil') =>
  (await rpc('tools/call', { name, arguments: args }, slug, as)).result;

/** Opens a commit in every way, and returns what REST says once all say the same. */
async function openEverywhere(id: string) {
  const [entity, related] = [await rest(keyOf(id)), await rest(keyOf(id), '/related?limit=500')];
  expect([id, entity.status, related.status]).toEqual([id, 200, 200]);
  expect(related.body.nodes).toContainEqual(entity.body);
  for (const named of [keyOf(id), uriOf(id), addressOf(id)]) {
    const got = (await tool('get_entity', { entity: named })).content[0].text;
    expect(got).toContain(`${addressOf(id)}: commit `);
    const around = (await tool('find_related', { entity: named, limit: 100 })).content[0].text;
    expect(around).toContain(`${addressOf(id)}: commit `);
    for (const { kind, rule } of related.body.edges) {
      expect(got).toMatch(new RegExp(` ${kind} .*\\(${rule}`));
      expect(around).toMatch(new RegExp(` ${kind} .*\\(${rule}`));
    }
  }
  const read = await rpc('resources/read', { uri: uriOf(id) });
  const [{ text }] = read.result.contents;
  expect(text).toContain(`${addressOf(id)}: commit `);
  for (const { kind, rule } of related.body.edges) expect(text).toMatch(new RegExp(` ${kind} .*\\(${rule}`));
  expect(JSON.parse((await cli('show', keyOf(id))).stdout)).toEqual(entity.body);
  expect(JSON.parse((await cli('related', keyOf(id))).stdout)).toEqual(related.body);
  return { entity: entity.body, related: related.body };
}

const edgesOf = ({ related }: Awaited<ReturnType<typeof openEverywhere>>): readonly string[] =>
  related.edges.map(({ kind, to, rule }: Record<string, string>) => `${kind} ${to} ${rule}`);

describe('a commit that a citation may name', () => {
  it('is read from the graph if that has it', async () => {
    const { graph } = advisor.deps.knowledge;
    const keys = [ids.later, ids.merge, ids.start, ids.huge, ids.merged, ids.branch].map(keyOf);
    const { nodes } = await graph.get(advisor.projecting.scope, keys);
    expect(nodes.map(({ key }) => key)).toEqual([ids.later, ids.merge].map(keyOf));
  });

  it('opens in every way if only a merged branch has it, with what it says', async () => {
    const opened = await openEverywhere(ids.merged);
    expect(opened.entity).toEqual({
      key: keyOf(ids.merged),
      kind: 'commit',
      name: 'Pause longer between attempts of retryWithBackoff',
      url: null,
      uri: uriOf(ids.merged),
      repository: repository.name,
      properties: { sha: ids.merged, time: '2025-03-01T00:00:00.000Z', changed: 1 },
    });
    const people = opened.related.nodes.filter(({ kind }: { kind: string }) => kind === 'person');
    expect(people.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'Ada Lovelace',
      'Grace M. Hopper',
    ]);
    const issueKey = opened.related.nodes.find(({ kind }: { kind: string }) => kind === 'issue').key;
    expect(edgesOf(opened).map((edge) => edge.replace(/person:\S+/, 'person'))).toEqual([
      'authored_by person author',
      'authored_by person co-author',
      `closes ${issueKey} closing-verb`,
      `touches ${fileKey(repository.id, 'src/retry.ts')} diff`,
    ]);
  });

  it('opens as a merge with its pull request, from the graph and from Git alike', async () => {
    const opened = await openEverywhere(ids.merge);
    const edges = edgesOf(opened);
    expect(opened.entity.name).toBe('Grow the pauses (#9)');
    expect(edges).toContain(`part_of ${pullKey(repository.id, 9)} merge-subject`);
    const { scope } = advisor.projecting;
    const lost = { ...advisor.deps.knowledge.graph, get: withoutCommits(advisor.deps.knowledge.graph.get) };
    const deps = { ...advisor.deps.knowledge, graph: lost };
    const asked = { entity: keyOf(ids.merge), direction: 'both', depth: 1, limit: 100 } as const;
    const read = await relatedEntities(deps, scope, asked, new AbortController().signal);
    expect(read.nodes.find(({ key }) => key === read.key)).toEqual(opened.entity);
    expect(edgesOf({ entity: undefined, related: read }).toSorted()).toEqual(edges.toSorted());
  });

  it('opens in every way if it is older than what the graph links, or of a further branch', async () => {
    const start = await openEverywhere(ids.start);
    expect(start.entity).toMatchObject({ name: 'Start with one pause', properties: { changed: 3 } });
    expect(edgesOf(start)).toContain(`touches ${fileKey(repository.id, 'src/main.ts')} diff`);
    expect((await rest(keyOf(ids.huge))).body.name).toBe('Import the archive');
    const branch = await openEverywhere(ids.branch);
    expect(edgesOf(branch)).toContain(`part_of ${pullKey(repository.id, 4)} squash-suffix`);
  });

  it('leads to what the graph knows of its files, by the kinds and the direction asked for', async () => {
    const of = async (query: string) => (await rest(keyOf(ids.merged), `/related?${query}`)).body;
    const deep = await of('depth=2&kinds=touches,imports');
    expect(deep.nodes.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['src/retry.ts', 'src/main.ts', 'Grow the pauses (#9)']),
    );
    expect(deep.edges.every(({ kind }: { kind: string }) => ['touches', 'imports'].includes(kind))).toBe(
      true,
    );
    expect(await of('direction=in')).toMatchObject({ nodes: [{ key: keyOf(ids.merged) }], edges: [] });
    const cut = await of('limit=1');
    expect([cut.nodes.length, cut.truncated]).toEqual([2, true]);
    expect((await rest(keyOf(ids.merged), '/related?kinds=callz')).status).toBe(400);
  });

  it('opens by 7 digits of its id; more commits of these digits are listed', async () => {
    for (const id of [ids.merged, ids.later]) {
      expect((await rest(keyOf(id.slice(0, 7)))).body.key).toBe(keyOf(id));
      expect((await rest(keyOf(id.slice(0, 12).toUpperCase()), '/related')).body.key).toBe(keyOf(id));
      const { content } = await tool('get_entity', { entity: uriOf(id.slice(0, 9)) });
      expect(content[0].text).toContain(`${addressOf(id)}: commit `);
    }
    expect((await rest(keyOf(ids.merged.slice(0, 6)))).status).toBe(404);
    const prefix = ids.twins[0].slice(0, 7);
    const texts = [
      await rest(keyOf(prefix)).then(({ status, body }) => `${status} ${body.detail}`),
      (await tool('find_related', { entity: uriOf(prefix) })).content[0].text,
      (await rpc('resources/read', { uri: uriOf(prefix) })).error.message,
      (await cli('show', keyOf(prefix))).stderr,
    ];
    for (const text of texts) for (const id of ids.twins) expect(text).toContain(id);
    expect(texts[0]).toMatch(/^400 /);
    for (const id of ids.twins) expect((await rest(keyOf(id))).body.key).toBe(keyOf(id));
  });

  it('opens in every way wherever an answer cites it', async () => {
    const questions = [
      'Why was retryWithBackoff changed?',
      'Why was src/retry.ts changed?',
      'Why do we pause longer between attempts?',
      'Who changed src/main.ts?',
    ];
    const cited = new Set<string>();
    for (const prompt of questions) {
      const payload = { prompt };
      const asked = await http.call({ method: 'POST', url: '/acme/api/v1/ask', payload });
      for (const { kind, commit = '', uri } of answerRecord.parse(asked.json()).citations) {
        if (kind !== 'commit') continue;
        expect(uri).toBe(uriOf(commit));
        cited.add(commit);
      }
    }
    expect([...cited]).toEqual(expect.arrayContaining([ids.start, ids.merged]));
    for (const id of cited) await openEverywhere(id);
  });
});

describe('a commit that is no part of the followed branches', () => {
  /** Returns all that can be observed of a key, without the id. */
  async function observe(repositoryId: string, id: string, slug = 'acme', as?: 'gil'): Promise<string> {
    const key = commitKey(repositoryId, id);
    const uri = uriOf(id);
    const seen = [
      await rest(key, '', slug, as),
      await rest(key, '/related', slug, as),
      await tool('get_entity', { entity: key }, slug, as),
      await tool('find_related', { entity: key }, slug, as),
      await tool('get_entity', { entity: uri }, slug, as),
      await rpc('resources/read', { uri }, slug, as),
    ];
    const text = JSON.stringify(seen).replaceAll(id, '(id)').replaceAll(encodeURIComponent(key), '(key)');
    expect(text).not.toContain('secret');
    expect(seen.slice(0, 2).map((one) => one.status)).toEqual([404, 404]);
    return text.replaceAll(repositoryId, '(repository)').replaceAll(/"(?:requestId|instance)":"[^"]*"/g, '');
  }

  it('looks like a missing one, though the mirror has it', async () => {
    const { dataDir } = advisor;
    const mirror = mirrorPath(dataDir, advisor.projecting.scope, repository.id);
    expect(
      execFileSync('git', ['--git-dir', mirror, 'cat-file', '-t', ids.dangling], { encoding: 'utf8' }),
    ).toBe('commit\n');
    const missing = 'e'.repeat(40);
    expect(await observe(repository.id, ids.dangling)).toBe(await observe(repository.id, missing));
    const short = ids.dangling.slice(0, 9);
    expect(await observe(repository.id, short)).toBe(await observe(repository.id, 'e'.repeat(9)));
  });

  it('looks like a missing one to another organization', async () => {
    const unknown = await observe(newId(), ids.merged, 'globex', 'gil');
    for (const id of [ids.merged, ids.merge, ids.merged.slice(0, 8), 'e'.repeat(40)])
      expect(await observe(repository.id, id, 'globex', 'gil')).toBe(unknown);
  });
});

/** Returns a look-up in a graph that has no commits. */
function withoutCommits(get: GraphReader['get']): GraphReader['get'] {
  return async (scope, keys) => {
    const answer = await get(scope, keys);
    return { ...answer, nodes: answer.nodes.filter(({ kind }) => kind !== 'commit') };
  };
}
