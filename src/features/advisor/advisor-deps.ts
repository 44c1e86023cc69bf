import type { CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { KnowledgeDeps } from '../knowledge/knowledge-deps.ts';
import type { FileUrls } from '../search/file-url.ts';
import type { ModelDeps } from './model/model-deps.ts';
import type { QuestionLimit } from './question-limit.ts';

/** The dependencies of search and of reading files, and the limit of questions that all entry points share. */
export interface AnswerDeps {
  readonly codeSearch: CodeSearch;
  readonly sources: SourceReader;
  readonly queries: Queries;
  readonly urls: FileUrls;
  readonly questions: QuestionLimit;
  /** Aborts when the process is about to end: questions that are not answered by then end with an error. */
  readonly stopping?: AbortSignal | undefined;
  /** Writes answers; without it, they are extracted from the evidence. */
  readonly model?: ModelDeps | undefined;
}

/** The dependencies of the advisor: code search and the knowledge graph. */
export interface AdvisorDeps extends AnswerDeps {
  readonly knowledge: KnowledgeDeps;
}
