import { openCodeSearch } from '../backends/codesearch/embedded/open-embedded-code-search.ts';
import { openGitSourceReader } from '../backends/codesearch/git/git-source-reader.ts';
import type { AnswerDeps } from '../features/advisor/gather-evidence.ts';
import { mirrorPath } from '../features/repositories/mirror-path.ts';
import { getRepository } from '../features/repositories/repository-store.ts';
import { fileUrls } from '../features/search/file-url.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database } from '../foundation/db/database.ts';
import { dataFolder } from '../foundation/kernel/data-folder.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';

/** Everything that answers questions: code search, source reading and the advisor over both. */
export interface Answers extends AnswerDeps {
  close(): Promise<void>;
}

/** Binds the adapters that answer. They read what the worker writes; each follows the index manifests by itself. */
export function openAnswers(
  config: Pick<Config, 'baseUrl' | 'dataDir'>,
  database: Database,
  log: Logger,
): Answers {
  const { queries } = database;
  const codeSearch = openCodeSearch({ root: dataFolder(config.dataDir).codesearch, log });
  const sources = openGitSourceReader({
    mirrorDir: (scope, repository) => mirrorPath(config.dataDir, scope, repository),
    indexedCommit: async (scope, id) => (await getRepository(queries, scope, id))?.indexedCommit,
  });
  return {
    queries,
    codeSearch,
    sources,
    urls: fileUrls(config.baseUrl),
    async close() {
      await Promise.all([codeSearch.close(), sources.close()]);
    },
  };
}
