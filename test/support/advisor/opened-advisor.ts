import { join } from 'node:path';
import { mirroredConnections } from '../../../src/app/open/open-graph.ts';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../../../src/backends/codesearch/git/git-source-reader.ts';
import type { AdvisorDeps } from '../../../src/features/advisor/advisor-deps.ts';
import type { AskOptions } from '../../../src/features/advisor/ask.ts';
import { openQuestionLimit } from '../../../src/features/advisor/question-limit.ts';
import { compactRepository } from '../../../src/features/repositories/indexing/compact-repository.ts';
import { defineRepository } from '../../../src/features/repositories/indexing/define-repository.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import {
  getIndexedCommit,
  listSearchableRepositories,
} from '../../../src/features/repositories/repository-store.ts';
import { fileUrls } from '../../../src/features/search/file-url.ts';
import { limitedSearch, limitedSources } from '../../../src/features/search/limited-engine.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import { openTestIndex } from '../codesearch/open-test-index.ts';
import { openTestDatabase } from '../database/databases.ts';
import { openProjecting, type Projecting } from '../graph/projecting.ts';
import { jobContext } from '../jobs/job-context.ts';
import { allRecords } from '../mirror/records.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Asks as some user, without ever cancelling. */
export const asking: AskOptions = { userId: newId(), signal: new AbortController().signal };

/** An organization whose repositories are indexed and projected to the graph by the real jobs. */
export interface OpenedAdvisor {
  readonly deps: AdvisorDeps;
  readonly projecting: Projecting;
  readonly dataDir: string;
  /** Reads the definitions of all repositories and compacts their indexes, which also reads the history. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

export async function openAdvisor(): Promise<OpenedAdvisor> {
  const dataDir = temporaryFolder();
  const root = join(dataDir, 'index');
  const codeIndex = openTestIndex({ root, log: silentLog });
  const projecting = await openProjecting(() => openTestDatabase('sqlite'), undefined, {
    codeIndex,
    dataDir,
  });
  const { queries } = projecting.database;
  const codeSearch = limitedSearch(openCodeSearch({ root, log: silentLog, threads: 1 }));
  const reader = openGitSourceReader({
    mirrorDir: (scope, repository) => mirrorPath(dataDir, scope, repository),
    indexedCommit: (scope, id) => getIndexedCommit(queries, scope, id),
  });
  const sources = limitedSources(reader);
  const knowledge: AdvisorDeps['knowledge'] = {
    graph: projecting.graph,
    sources,
    records: allRecords,
    mirroredConnections: (scope) => mirroredConnections(queries, scope),
    repositoryNames: async (scope) =>
      new Map((await listSearchableRepositories(queries, scope)).map(({ id, name }) => [id, name])),
  };
  return {
    deps: {
      codeSearch,
      sources,
      queries,
      urls: fileUrls('https://ctx.example'),
      questions: openQuestionLimit(),
      knowledge,
    },
    projecting,
    dataDir,
    async compact() {
      const { organizationId } = projecting.scope;
      const work = {
        database: projecting.database,
        codeIndex,
        git: { dataDir, allowHosts: [] },
        clock: systemClock,
      };
      for (const { id } of await listSearchableRepositories(queries, projecting.scope)) {
        const payload = { organizationId, repositoryId: id };
        await defineRepository(work, payload, jobContext());
        await compactRepository(work, payload, jobContext());
      }
    },
    async close() {
      await Promise.all([codeSearch.close(), sources.close()]);
      await projecting.close();
      await projecting.database.close();
    },
  };
}
