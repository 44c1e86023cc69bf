import { ModelFailure } from '../../../backends/models/port.ts';
import type { AdvisorDeps } from '../advisor-deps.ts';
import type { Answer } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { notesOf } from '../write/notes.ts';
import { answerText, freshnessOf } from '../write/write-pack.ts';
import { AnswerText } from './answer-text.ts';
import { instructionsOf, openFence, questionOf } from './instructions.ts';
import { IssuedSources } from './issued-sources.ts';
import { type ModelDeps, modelLimits } from './model-deps.ts';
import { noticeOf, unavailable } from './model-notice.ts';
import { runTurns } from './run-turns.ts';

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer. */
  readonly timeLeftMs: number;
  readonly onProgress?: ((message: string) => void) | undefined;
  readonly onText?: ((piece: string) => void) | undefined;
}

/**
 * Writes the answer of a pack with the language model. If that fails for any reason, the answer is that of the pack,
 * with a notice. Rejects with the reason of `signal` if that is aborted.
 */
export async function writeBestAnswer(writing: Writing, options: WriteOptions): Promise<Answer> {
  const { model, extracted } = writing;
  let hasText = false;
  const onText = (piece: string): void => {
    hasText = true;
    options.onText?.(piece);
  };
  const limits = model.limits ?? modelLimits;
  const timeout = AbortSignal.timeout(Math.max(0, Math.min(limits.timeoutMs, options.timeLeftMs)));
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    return await writeWithModel(writing, { ...options, signal, onText });
  } catch (error) {
    options.signal.throwIfAborted();
    const known = noticeOf(error, timeout.aborted);
    const notice = known ?? unavailable;
    const cause = known === undefined ? { err: error } : reasonsOf(error);
    model.log.warn(
      { code: notice.code, model: model.languageModel.name, ...cause },
      'the language model did not answer; the answer was extracted',
    );
    if (hasText) onText(`\n\n${notice.message}\n\n`);
    onText(extracted.answer);
    return { ...extracted, notice };
  }
}

/** Returns the reasons of a failure for the log, with the provider's own words and the error of the request. */
function reasonsOf(error: unknown): Readonly<Record<string, unknown>> {
  const { said, outbound } = error instanceof ModelFailure ? error : {};
  return {
    ...(error instanceof Error && { reason: error.message }),
    ...(said !== undefined && { said }),
    ...(outbound !== undefined && { cause: outbound.message, ...outbound.detail }),
  };
}

interface Writing {
  readonly deps: AdvisorDeps;
  readonly model: ModelDeps;
  readonly pack: Pack;
  readonly extracted: Answer;
}

async function writeWithModel(
  { deps, model, pack, extracted }: Writing,
  { signal, onProgress, onText }: WriteOptions,
): Promise<Answer> {
  const limits = model.limits ?? modelLimits;
  const issued = new IssuedSources();
  const fence = openFence();
  // The numbers of the extracted answer become those that the model knows, so that it can use its statements.
  const sources = extracted.citations.map(({ n: _n, ...source }) => [issued.issue(source), source] as const);
  const text = new AnswerText(issued, limits.answerCharacters, (piece) => onText?.(piece));
  const { isCut } = await runTurns({
    model: model.languageModel,
    limits,
    instructions: instructionsOf(fence),
    question: questionOf(pack, extracted.answer, sources, fence),
    context: { deps, inquiry: pack.inquiry, signal },
    issued,
    fence,
    text,
    onProgress,
  });
  const citations = issued.citations(sources.length);
  const notes = notesOf(pack).join('\n');
  if (notes !== '') onText?.(`\n\n${notes}`);
  const answer = `${text.shown.trimEnd()}${notes === '' ? '' : `\n\n${notes}`}`;
  return {
    ...extracted,
    answer,
    text: answerText(answer, citations),
    citations,
    freshness: freshnessOf(pack, citations),
    model: model.languageModel.name,
    truncated: extracted.truncated || isCut,
  };
}
