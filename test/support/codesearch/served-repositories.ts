import { join } from 'node:path';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../../../src/backends/codesearch/git/git-source-reader.ts';
import { findOrganization } from '../../../src/features/identity/people/organization-store.ts';
import { cloneRepository } from '../../../src/features/repositories/indexing/clone-repository.ts';
import { eraseRepository } from '../../../src/features/repositories/indexing/erase-repository.ts';
import { indexRepository } from '../../../src/features/repositories/indexing/index-repository.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import type { WorkDeps } from '../../../src/features/repositories/reconciling/repository-work.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { getRepository, requireRepository } from '../../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../../src/features/repositories/setup/add-repository.ts';
import { removeRepository } from '../../../src/features/repositories/setup/remove-repository.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { openTestDatabase, type TestDatabase } from '../database/databases.ts';
import type { TestRepository } from '../git/git-repository.ts';
import { emptyKnowledge } from '../graph/opened-graph.ts';
import { openTestAnswers, openTestHttp, publicOrigin, type TestHttp } from '../http/http-server.ts';
import { noLimits } from '../http/no-limits.ts';
import { jobContext } from '../jobs/job-context.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { openTestIndex } from './open-test-index.ts';

/** REST and MCP of organization `acme` over real repositories, which the worker's use cases clone and index. */
export interface ServedRepositories {
  readonly http: TestHttp;
  /** Adds, clones and indexes a repository. */
  add(name: string, source: TestRepository, branches?: readonly string[]): Promise<Repository>;
  /** Fetches and indexes the current state of its source. */
  sync(id: RepositoryId): Promise<Repository>;
  /** Removes a repository: from then on no result may come from it. `erase` deletes its data. */
  remove(id: RepositoryId): Promise<{ erase(): Promise<void> }>;
  /** Calls `GET /search?…` as a member. */
  search(query: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** Calls `POST /mcp` as a member; `body` may be invalid JSON. */
  postMcp(
    body: string | Buffer,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** Calls a tool and returns the JSON-RPC response. */
  callTool(
    name: string,
    args: unknown,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  close(): Promise<void>;
}

export async function openServedRepositories(): Promise<ServedRepositories> {
  const [database, dataDir] = [await openTestDatabase('sqlite'), temporaryFolder()];
  const root = join(dataDir, 'codesearch');
  const codeSearch = openCodeSearch({ root, log: silentLog, threads: 1 });
  const sources = openGitSourceReader({
    mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
    indexedCommit: async (owner, id) => (await getRepository(database.queries, owner, id))?.indexedCommit,
  });
  const answers = openTestAnswers(database, publicOrigin, { codeSearch, sources });
  const identity = { queries: database.queries, clock: Date.now };
  const deps = { baseUrl: publicOrigin, version: '1.2.3', identity, answers, knowledge: emptyKnowledge };
  const http = await openTestHttp(database, {
    codeSearch,
    sources,
    limits: noLimits,
    plugins: [{ name: 'mcp', plugin: mcpRoute({ deps, log: silentLog }) }],
  });
  const codeIndex = openTestIndex({ root, log: silentLog });
  const work = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock: Date.now };
  const postMcp = mcpCaller(http);
  return {
    http,
    postMcp,
    callTool: (name, args) => postMcp(toolCall(name, args)),
    ...workOf(work, await acmeOf(database)),
    async search(query) {
      const answer = await http.call({ url: `/acme/api/v1/search?${query}` });
      return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
    },
    async close() {
      await http.server.close();
      await codeSearch.close();
      await sources.close();
      await database.close();
    },
  };
}

async function acmeOf(database: TestDatabase): Promise<OrgScope> {
  const organization = await findOrganization(database.queries, 'acme');
  if (organization === undefined) throw new Error('there is no organization');
  return { organizationId: organization.id, orgSlug: 'acme' };
}

/** Returns what the worker does with repositories: it adds, syncs and removes them. */
export function workOf(work: WorkDeps, scope: OrgScope): Pick<ServedRepositories, 'add' | 'sync' | 'remove'> {
  const payloadOf = (repositoryId: RepositoryId) => ({ organizationId: scope.organizationId, repositoryId });
  const sync: ServedRepositories['sync'] = async (id) => {
    await cloneRepository(work, payloadOf(id), jobContext({ maxAttempts: 1 }));
    await indexRepository(work, payloadOf(id), jobContext({ maxAttempts: 1 }));
    const repository = await requireRepository(work.database.queries, scope, id);
    if (repository.state !== 'indexed') throw new Error(JSON.stringify(repository.error));
    return repository;
  };
  return {
    sync,
    async add(name, { folder }, branches = []) {
      const adding = { ...work, ...work.git, allowLocal: true };
      const { id } = await addRepository(adding, scope, { kind: 'host' }, { source: folder, name, branches });
      return sync(id);
    },
    async remove(id) {
      await removeRepository(work, scope, { kind: 'host' }, id);
      return { erase: () => eraseRepository(work, payloadOf(id)) };
    },
  };
}

/** Returns the JSON-RPC request of a tool call. */
export function toolCall(name: string, args: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
}

function mcpCaller(http: TestHttp): ServedRepositories['postMcp'] {
  return async (payload) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const answer = await http.call({ method: 'POST', url: '/mcp?orgSlug=acme', headers, payload });
    const text = answer.body.slice(Math.max(0, answer.body.indexOf('{')));
    return { status: answer.statusCode, body: JSON.parse(text) as Record<string, unknown> };
  };
}
