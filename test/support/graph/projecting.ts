import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import { openProjectedRepositories } from '../../../src/app/open/open-projection.ts';
import type { GraphReader } from '../../../src/backends/graph/port.ts';
import { openGraphReader } from '../../../src/backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../../src/backends/graph/sql/open-graph-writer.ts';
import { ParseQueue, type ParseQueueDeps } from '../../../src/backends/languages/parse/parse-queue.ts';
import { insertConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import type { Connector } from '../../../src/features/connectors/port.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { FilesCache } from '../../../src/features/knowledge/projection/files-cache.ts';
import { knowledgeJobs } from '../../../src/features/knowledge/projection/jobs.ts';
import {
  type ProjectionDeps,
  projectRepository,
} from '../../../src/features/knowledge/projection/project-repository.ts';
import { repositoryProject } from '../../../src/features/knowledge/projection/tasks.ts';
import { cloneRepository } from '../../../src/features/repositories/indexing/clone-repository.ts';
import { eraseRepository } from '../../../src/features/repositories/indexing/erase-repository.ts';
import { fetchRepository } from '../../../src/features/repositories/indexing/fetch-repository.ts';
import { indexRepository } from '../../../src/features/repositories/indexing/index-repository.ts';
import type { WorkDeps } from '../../../src/features/repositories/reconciling/repository-work.ts';
import type { Repository } from '../../../src/features/repositories/repository.ts';
import { requireRepository } from '../../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../../src/features/repositories/setup/add-repository.ts';
import { removeRepository } from '../../../src/features/repositories/setup/remove-repository.ts';
import { type DerivedDatabase, openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type ConnectionId, newId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { manifestsOnly } from '../codesearch/manifests-only.ts';
import type { OpenTestDatabase, TestDatabase } from '../database/databases.ts';
import { jobContext } from '../jobs/job-context.ts';
import { sharedParser } from '../languages/shared-parser.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { dumpGraph } from './dump-graph.ts';

/** A deployment whose repositories are cloned, indexed and projected by the real jobs. */
export interface Projecting {
  readonly scope: OrgScope;
  readonly database: TestDatabase;
  readonly graph: GraphReader;
  /** Creates another organization. */
  addOrganization(slug: string): Promise<OrgScope>;
  /** Adds a folder, and clones, indexes and projects it. Default: for `scope`, without further branches. */
  add(
    folder: string,
    more?: { readonly owner?: OrgScope; readonly branches?: readonly string[] },
  ): Promise<Repository>;
  /** Fetches a repository and projects it. */
  push(repository: Repository): Promise<void>;
  /** Runs the pending projections. */
  project(): Promise<void>;
  /** Binds a connection of a kind to a repository. */
  bind(repository: Repository, kind: string): Promise<string>;
  remove(repository: Repository): Promise<void>;
  read(repository: Repository): Promise<Repository>;
  dump(owner?: OrgScope): Promise<readonly string[]>;
  /** Deletes the graph, starts again and reconciles. */
  rebuild(): Promise<void>;
  /** Forgets what is kept between two projections, as a restart does. */
  restart(): void;
  close(): Promise<void>;
}

export async function openProjecting(
  open: OpenTestDatabase,
  parse?: Partial<ParseQueueDeps>,
  {
    codeIndex = manifestsOnly(),
    dataDir = temporaryFolder(),
    parseMs,
    connectors,
  }: Partial<Pick<WorkDeps, 'codeIndex'> & Pick<ProjectionDeps, 'parseMs'>> & {
    dataDir?: string;
    connectors?: readonly Connector[];
  } = {},
): Promise<Projecting> {
  const database = await open();
  const { options } = database;
  const derivedOptions =
    options.dialect === 'sqlite'
      ? { dialect: 'sqlite' as const, file: join(dirname(options.file), 'graph.db') }
      : options;
  let derived: DerivedDatabase = await openDerived(derivedOptions, derivedSchemas, silentLog);
  const parser = parse === undefined ? sharedParser : new ParseQueue({ log: silentLog, ...parse });
  const addOrganization = async (orgSlug: string): Promise<OrgScope> => {
    const user = { email: `ada@${orgSlug}.example.com`, orgSlug };
    const { organization } = await admitUser({ database, clock: systemClock }, user);
    return { organizationId: organization.id, orgSlug };
  };
  const scope = await addOrganization('acme');
  const adding = { database, clock: systemClock, allowLocal: true, allowHosts: [], dataDir };
  const work: WorkDeps = {
    database,
    codeIndex,
    git: { dataDir, allowHosts: [] },
    clock: systemClock,
  };
  const repositories = openProjectedRepositories(database, { dataDir, allowHosts: [] }, connectors);
  let cache = new FilesCache();
  const projection = () => ({ repositories, graph: openGraphWriter(derived), derived, parser, parseMs });
  const payloadOf = ({ id }: Repository, { organizationId } = scope) => ({
    organizationId,
    repositoryId: id,
  });

  const project = async (): Promise<void> => {
    for (;;) {
      const jobs = await database.queries
        .selectFrom('jobs')
        .select(['id', 'payload'])
        .where('task', '=', repositoryProject.name)
        .orderBy('id')
        .execute();
      if (jobs.length === 0) return;
      for (const { id, payload } of jobs) {
        await database.queries.deleteFrom('jobs').where('id', '=', id).execute();
        const given: unknown = JSON.parse(payload);
        await projectRepository(projection(), cache, repositoryProject.payload.parse(given), jobContext());
      }
    }
  };
  return {
    scope,
    database,
    get graph() {
      return openGraphReader(derived);
    },
    addOrganization,
    async add(folder, { owner = scope, branches = [] } = {}) {
      const added = await addRepository(adding, owner, { kind: 'host' }, { source: folder, branches });
      await cloneRepository(work, payloadOf(added, owner), jobContext());
      await indexRepository(work, payloadOf(added, owner), jobContext());
      await project();
      return requireRepository(database.queries, owner, added.id);
    },
    async push(repository) {
      await fetchRepository(work, payloadOf(repository), jobContext());
      await indexRepository(work, payloadOf(repository), jobContext());
      await project();
    },
    project,
    async bind(repository, kind) {
      const id = newId<ConnectionId>();
      const branch = repository.indexedBranches[0]?.name ?? '';
      const place = { githost_connection_id: 'host', host_repository_id: repository.id };
      await database.queries.updateTable('repositories').set(place).where('id', '=', repository.id).execute();
      await insertConnection(database.queries, scope, { id, kind, name: kind }, Date.now());
      await database.queries
        .updateTable('connections')
        .set({ ...place, branch, state: 'connected' })
        .where('id', '=', id)
        .execute();
      await repositories.enqueue(payloadOf(repository));
      await project();
      return id;
    },
    async remove(repository) {
      await removeRepository({ database, clock: systemClock }, scope, { kind: 'host' }, repository.id);
      await eraseRepository(work, payloadOf(repository));
      await project();
    },
    read: (repository) => requireRepository(database.queries, scope, repository.id),
    dump: ({ organizationId } = scope) => dumpGraph(derived, organizationId),
    async rebuild() {
      await derived.close();
      if (derivedOptions.dialect !== 'sqlite') throw new Error('only on SQLite');
      for (const end of ['', '-wal', '-shm']) rmSync(`${derivedOptions.file}${end}`, { force: true });
      derived = await openDerived(derivedOptions, derivedSchemas, silentLog);
      cache = new FilesCache();
      const { reconciler } = knowledgeJobs({ projection: projection() });
      await reconciler?.reconcile(new AbortController().signal);
      await project();
    },
    restart() {
      cache = new FilesCache();
    },
    async close() {
      if (parse !== undefined) await parser.close();
      await derived.close();
    },
  };
}
