import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import { startService } from '../../../src/app/processes/serve.ts';
import { openGraphWriter } from '../../../src/backends/graph/sql/open-graph-writer.ts';
import { createConnection } from '../../../src/features/connectors/connections/create-connection.ts';
import { insertGithost } from '../../../src/features/githosts/githost-store.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { createSession } from '../../../src/features/identity/sign-in/session-store.ts';
import { fileKey, symbolKey } from '../../../src/features/knowledge/links/keys.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type ConnectionId, newId, type RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { manifestsOnly } from '../../support/codesearch/manifests-only.ts';
import { workOf } from '../../support/codesearch/served-repositories.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { edge, node, unit } from '../../support/graph/graph-facts.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The address and sessions of the service that `pages.ts` measures. */
export interface ServedPages {
  readonly baseUrl: string;
  /** Tokens of several sessions of an owner, because the requests of one session are limited. */
  readonly sessions: readonly string[];
  /** The name of the repository in the index. */
  readonly indexName: string;
  readonly commit: string;
  readonly repositoryId: string;
  readonly connectionId: string;
  readonly githostId: string;
  /** Key of a function in the knowledge graph. */
  readonly symbol: string;
}

/**
 * The service that `pages.ts` measures, in a separate process: the backend over SQLite with the Zoekt at an address,
 * without a worker, and with an organization of the given numbers of repositories and connections. A message returns
 * the processor time of this process so far, in milliseconds.
 */
const [zoekt = '', ...numbers] = process.argv.slice(2);
const [repositories, connections] = numbers.map(Number) as [number, number];

const folder = temporaryFolder();
const settings = loadConfig({
  env: {
    DATA_DIR: join(folder, 'data'),
    AUTH_SECRET: 'x'.repeat(40),
    CODESEARCH_URL: zoekt,
    CODESEARCH_KIND: 'zoekt',
    ZOEKT_INDEX_DIR: join(folder, 'zoekt'),
  },
  flags: { PORT: '0' },
  cwd: folder,
  homeDir: folder,
});
const { database, config } = await startService(settings, silentLog);
const { queries } = database;
const deps = { database, clock: systemClock };

const failed = {
  state: 'failed',
  error: JSON.stringify({ code: 'unreachable', message: 'The source does not answer. Check its address.' }),
} as const;

const owner = { email: 'ann@example.com', orgSlug: 'acme', role: 'owner' } as const;
const { user, organization } = await admitUser(deps, owner);
const scope: OrgScope = { organizationId: organization.id, orgSlug: 'acme' };
const sessions: string[] = [];
for (let number = 0; number < 3; number += 1)
  sessions.push((await createSession(queries, { userId: user.id }, systemClock)).token);
const repository = await seedRepositories();
const served: ServedPages = {
  baseUrl: config.baseUrl,
  sessions,
  indexName: `${scope.organizationId}/${repository.id}`,
  commit: repository.indexedCommit ?? '',
  repositoryId: repository.id,
  connectionId: await seedConnections(),
  githostId: await seedGithost(),
  symbol: await seedGraph(repository),
};
process.on('message', () => {
  const used = process.cpuUsage();
  process.send?.((used.user + used.system) / 1_000);
});
process.once('disconnect', () => process.exit());
process.send?.(served);

/** Adds the code of the queue of this project, and rows of other repositories. Returns the former. */
async function seedRepositories(): Promise<Repository> {
  const git = { dataDir: config.dataDir, allowHosts: [] };
  const work = workOf({ ...deps, codeIndex: manifestsOnly(), git }, scope);
  const added = await work.add('team/service', createRepository(queueFiles()));
  const { number: _, ...row } = await queries
    .selectFrom('repositories')
    .selectAll()
    .where('id', '=', added.id)
    .executeTakeFirstOrThrow();
  for (let from = 1; from < repositories; from += 500) {
    const rows = Array.from({ length: Math.min(500, repositories - from) }, (_each, at) => ({
      ...row,
      ...((from + at) % 50 === 0 && failed),
      id: newId<RepositoryId>(),
      name: `team-${(from + at) % 40}/service-${from + at}`,
      source: `https://git.example.com/team/service-${from + at}.git`,
    }));
    await queries.insertInto('repositories').values(rows).execute();
  }
  return added;
}

function queueFiles(): Readonly<Record<string, string>> {
  const jobs = fileURLToPath(new URL('../../../src/foundation/jobs/', import.meta.url));
  const paths = readdirSync(jobs, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  return Object.fromEntries(paths.map((path) => [`src/${path}`, readFileSync(join(jobs, path), 'utf8')]));
}

/** Creates connections, each with a delivery a minute for three hours. Returns one of them. */
async function seedConnections(): Promise<string> {
  const ids: ConnectionId[] = [];
  for (let number = 0; number < connections; number += 1) {
    const kind = number % 2 === 0 ? 'tracker' : 'oncall';
    const id = await createConnection(deps, scope, { kind, name: `connection ${number}` });
    ids.push(id);
    const rows = Array.from({ length: 180 }, (_, minute) => ({
      id: newId(),
      source: kind,
      connection_id: id,
      delivery_key: `delivery ${minute}`,
      outcome: 'accepted' as const,
      reason: null,
      event: 'issue.updated',
      entities: '[]',
      body_hash: '0'.repeat(64),
      body_bytes: 1_000,
      received_at: Date.now() - minute * 60_000,
      replayed_at: null,
    }));
    await queries.insertInto('deliveries').values(rows).execute();
  }
  return ids[0] ?? '';
}

/** Creates a connection to a Git host. Returns its id. */
async function seedGithost(): Promise<string> {
  const id = newId<ConnectionId>();
  const url = 'https://git.example.com';
  const row = { id, kind: 'gitea', name: 'gitea', state: 'connected', fields: {}, url, apiUrl: url } as const;
  const { organizationId } = scope;
  await insertGithost(
    queries,
    { ...row, organizationId, installationId: undefined, account: undefined, error: undefined },
    Date.now(),
  );
  return id;
}

/** Writes a function that 200 files call into the graph. Returns its key. */
async function seedGraph({ id }: Repository): Promise<string> {
  const derived = await openDerived(
    { dialect: 'sqlite', file: join(config.dataDir, 'graph.db') },
    derivedSchemas,
    silentLog,
  );
  const path = 'src/worker/worker.ts';
  const worker = fileKey(id, path);
  const symbol = symbolKey(id, path, { qualifiedName: 'openWorker', kind: 'function' });
  const callers = Array.from({ length: 200 }, (_, number) => `src/caller${number}.ts`);
  const facts = {
    nodes: [node(worker, path), node(symbol, 'openWorker', { path, startLine: 30 })],
    edges: [edge(worker, 'contains', symbol)],
  };
  await openGraphWriter(derived).replaceUnits(scope, [
    unit(worker, facts, { repositoryId: id }),
    ...callers.map((caller) => {
      const key = fileKey(id, caller);
      const calls = { nodes: [node(key, caller)], edges: [edge(key, 'calls', symbol, 90)] };
      return unit(key, calls, { repositoryId: id });
    }),
  ]);
  await derived.close();
  return symbol;
}
