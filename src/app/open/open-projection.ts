import { sql } from 'kysely';
import { openGraphWriter } from '../../backends/graph/sql/open-graph-writer.ts';
import type { FileParser } from '../../backends/languages/port.ts';
import { listBoundConnections } from '../../features/connectors/connections/connection-store.ts';
import type { Connector } from '../../features/connectors/port.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { organizationScope } from '../../features/identity/people/organization-store.ts';
import type { ProjectionDeps } from '../../features/knowledge/projection/project-repository.ts';
import type {
  ProjectedRepositories,
  ProjectedRepository,
} from '../../features/knowledge/projection/projected-repositories.ts';
import { repositoryProject } from '../../features/knowledge/projection/tasks.ts';
import { hostedKey } from '../../features/mirror/repository-key.ts';
import { hasMirror, mirrorPath } from '../../features/repositories/indexing/mirror-path.ts';
import type { Repository } from '../../features/repositories/repository.ts';
import { type RepositoryRef, recordGraph } from '../../features/repositories/repository-state-store.ts';
import { getRepository, listEveryRepository } from '../../features/repositories/repository-store.ts';
import type { Database } from '../../foundation/db/database.ts';
import { parseSource } from '../../foundation/git/source/parse-source.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { hasStopper } from '../../foundation/jobs/inspect/keyed-jobs.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { openDerivedDatabase, type Settings } from './open-database.ts';
import { copyToNeo4j } from './open-neo4j.ts';

/** The opened dependencies of the projection of the knowledge graph, for the worker. */
export interface OpenedProjection {
  readonly projection: ProjectionDeps;
  close(): Promise<void>;
}

/** Opens the writer of the graph. */
export async function openProjection(
  settings: Settings,
  database: Database,
  { log, parser }: { readonly log: Logger; readonly parser: FileParser },
): Promise<OpenedProjection> {
  const derived = await openDerivedDatabase(settings, 'worker', log);
  // Questions read the same pages often; the projection does not, and mapped pages count as memory of the worker.
  if (derived.dialect === 'sqlite') await sql`pragma mmap_size = 0`.execute(derived.queries);
  const repositories = openProjectedRepositories(database, {
    dataDir: settings.config.dataDir,
    allowHosts: settings.config.outbound.allowHosts,
  });
  const copying = await copyToNeo4j(settings, derived, log);
  return {
    projection: {
      repositories,
      graph: openGraphWriter(derived, { outbox: settings.config.graph !== undefined }),
      derived,
      parser,
    },
    async close() {
      await copying?.stop();
      await derived.close();
    },
  };
}

/**
 * Binds the repositories and the connections that mirror into them to the projection.
 * @internal Exported for the tests of the projection.
 */
export function openProjectedRepositories(
  { queries, transaction }: Database,
  { dataDir, allowHosts }: { readonly dataDir: string; readonly allowHosts: readonly string[] },
  all: readonly Pick<Connector, 'kind' | 'records'>[] = connectors,
): ProjectedRepositories {
  const describe = async (ref: RepositoryRef, repository: Repository) => {
    const gitDir = mirrorPath(dataDir, ref.scope, ref.id);
    if (repository.indexedCommit === undefined || !(await hasMirror(gitDir))) return undefined;
    const { id, name, source, indexedCommit: commit } = repository;
    const described: ProjectedRepository = {
      id,
      name,
      source,
      hosted: hostedName(source, allowHosts),
      gitDir,
      commit,
      sources: await sourcesOf(ref, repository),
    };
    return described;
  };
  const sourcesOf = async (
    { scope }: RepositoryRef,
    repository: Repository,
  ): Promise<ProjectedRepository['sources']> => {
    const bound = await listBoundConnections(queries, scope, repository);
    return bound.flatMap(({ id, kind }) => {
      const records = all.find((connector) => connector.kind === kind)?.records;
      return records === undefined ? [] : [{ connectionId: id, records }];
    });
  };
  return {
    async find({ organizationId, repositoryId }) {
      const scope = await organizationScope(queries, organizationId);
      if (scope === undefined) return undefined;
      const repository = await getRepository(queries, scope, repositoryId);
      if (repository === undefined || repository.state === 'removing') return { scope, repository: 'gone' };
      const described = await describe({ scope, id: repositoryId }, repository);
      return { scope, repository: described ?? 'not_ready' };
    },
    async recordGraph({ organizationId, repositoryId }, commit, leftOut) {
      const scope = await organizationScope(queries, organizationId);
      if (scope !== undefined) await recordGraph(queries, { scope, id: repositoryId }, commit, leftOut);
    },
    async *list() {
      for await (const { ref, repository } of listEveryRepository(queries)) {
        if (repository.state === 'removing') continue;
        const described = await describe(ref, repository);
        const payload = { organizationId: ref.scope.organizationId, repositoryId: ref.id };
        if (described !== undefined) yield { payload, repository: described };
      }
    },
    hasStopper: ({ repositoryId }) => hasStopper(queries, repositoryProject, repositoryId),
    async enqueue(payload) {
      await transaction((tx) => enqueue(tx, repositoryProject, payload));
    },
  };
}

/** Returns host and path of a source; `undefined` for a folder, or for a source that is no longer allowed. */
function hostedName(source: string, allowHosts: readonly string[]): string | undefined {
  try {
    const { remote, url } = parseSource(source, { allowLocal: true, allowHosts });
    return remote && hostedKey(url, remote);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}
