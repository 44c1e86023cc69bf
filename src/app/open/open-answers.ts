import { openGitSourceReader } from '../../backends/codesearch/git/git-source-reader.ts';
import type { AnswerDeps } from '../../features/advisor/advisor-deps.ts';
import { openQuestionLimit } from '../../features/advisor/question-limit.ts';
import { mirrorPath } from '../../features/repositories/indexing/mirror-path.ts';
import { getIndexedCommit } from '../../features/repositories/repository-store.ts';
import { fileUrls } from '../../features/search/file-url.ts';
import { limitedSearch, limitedSources } from '../../features/search/limited-engine.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { answerTools } from './answer-tools.ts';
import { openAnswerEngine } from './open-code-search.ts';
import type { Settings } from './open-database.ts';
import { openModel } from './open-model.ts';

/** The dependencies of search and the advisor: code search, source reading and the language model. */
export interface Answers extends AnswerDeps {
  /** Ends the questions that are being answered, with an error that says to ask again. */
  stopQuestions(): void;
  close(): Promise<void>;
}

/**
 * Opens code search and source reading. They read what the worker writes and detect new index manifests themselves.
 * Search threads start once `startWhen` settles, by default at once.
 * @throws NotConfigured
 */
export function openAnswers(
  settings: Settings,
  database: Database,
  log: Logger,
  startWhen?: Promise<void>,
): Answers {
  const { appUrl, dataDir } = settings.config;
  const { queries } = database;
  const engine = openAnswerEngine(settings, log, startWhen);
  const model = openModel(settings);
  const sources =
    engine.sources ??
    openGitSourceReader({
      mirrorDir: (scope, repository) => mirrorPath(dataDir, scope, repository),
      indexedCommit: (scope, id) => getIndexedCommit(queries, scope, id),
    });
  const stopping = new AbortController();
  return {
    queries,
    codeSearch: limitedSearch(engine.codeSearch),
    sources: limitedSources(sources),
    urls: fileUrls(appUrl),
    questions: openQuestionLimit(),
    model: model && { languageModel: model.languageModel, tools: answerTools, log },
    stopping: stopping.signal,
    stopQuestions: () => stopping.abort(),
    async close() {
      await Promise.all([engine.close(), sources.close(), model?.close()]);
    },
  };
}
