import type { CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import type { LanguageModel, ModelTool } from '../../backends/models/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { KnowledgeDeps } from '../knowledge/knowledge-deps.ts';
import type { FileUrls } from '../search/file-url.ts';
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

/** The language model that writes answers. */
export interface ModelDeps {
  readonly languageModel: LanguageModel;
  readonly tools: readonly AnswerTool[];
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Default: `modelLimits`. */
  readonly limits?: typeof modelLimits;
}

/** The context of a call of a tool. The organization is that of the caller, never a choice of the model. */
interface AnswerToolContext extends Pick<ModelDeps, 'log'> {
  readonly deps: AdvisorDeps;
  readonly scope: OrgScope;
  readonly signal: AbortSignal;
}

/** A tool of the model, which only reads. */
export interface AnswerTool {
  readonly declaration: ModelTool;
  /** Returns a text of bounded length, or what is wrong with the call. */
  run(args: unknown, context: AnswerToolContext): Promise<string>;
}

/** Limits of one answer by the model. Tokens are counted as about four characters each, over all turns. */
export const modelLimits = {
  /** Maximum duration: an answer must end within 50 s, which includes the collection of the evidence. */
  timeoutMs: 40_000,
  /** Maximum number of calls of tools. */
  steps: 8,
  inputTokens: 120_000,
  outputTokensOfTurn: 4_096,
  /** Maximum length of what the model writes, in characters. */
  answerCharacters: 16_000,
};
