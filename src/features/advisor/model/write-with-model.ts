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
  const shown = { hasText: false };
  const onText = (piece: string): void => {
    shown.hasText = true;
    options.onText?.(piece);
  };
  const limits = model.limits ?? modelLimits;
  const timeout = AbortSignal.timeout(Math.max(0, Math.min(limits.timeoutMs, options.timeLeftMs)));
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    return await writeInContext(writing, { ...options, signal, onText }, shown);
  } catch (error) {
    options.signal.throwIfAborted();
    const known = noticeOf(error, timeout.aborted);
    const notice = known ?? unavailable;
    const cause = known === undefined ? { err: error } : reasonsOf(error);
    model.log.warn(
      { code: notice.code, model: model.languageModel.name, ...cause },
      'the language model did not answer; the answer was extracted',
    );
    if (shown.hasText) onText(`\n\n${notice.message}\n\n`);
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

/** Writes the answer, once more with half of the sources if all of them are longer than the context of the model. */
async function writeInContext(
  writing: Writing,
  options: WriteOptions,
  shown: { readonly hasText: boolean },
): Promise<Answer> {
  try {
    return await writeWithModel(writing, options);
  } catch (error) {
    const half = halfOf(writing.extracted);
    if (!(error instanceof ModelFailure) || error.reason !== 'too_long') throw error;
    if (shown.hasText || half === undefined) throw error;
    const { languageModel, log } = writing.model;
    log.warn(
      { model: languageModel.name, ...reasonsOf(error) },
      'the sources are too long for the language model; asking again with half of them',
    );
    return writeWithModel({ ...writing, extracted: half }, options);
  }
}

/**
 * Returns an answer with the first half of its citations, which are the best, and without the numbers of the others;
 * `undefined` if there is no half.
 */
function halfOf(answer: Answer): Answer | undefined {
  const kept = Math.floor(answer.citations.length / 2);
  if (kept === 0) return undefined;
  return {
    ...answer,
    answer: answer.answer.replaceAll(/ \[(\d+)\]/gu, (all, n: string) => (Number(n) > kept ? '' : all)),
    citations: answer.citations.slice(0, kept),
    truncated: true,
  };
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
