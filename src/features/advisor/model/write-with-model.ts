import {
  type ModelCall,
  ModelFailure,
  type ModelMessage,
  type ModelResult,
} from '../../../backends/models/port.ts';
import { type AdvisorDeps, type ModelDeps, type ModelLimits, modelLimits } from '../advisor-deps.ts';
import type { Answer } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { notesOf } from '../write/notes.ts';
import { answerText, freshnessOf } from '../write/write-pack.ts';
import { AnswerText } from './answer-text.ts';
import { type Fence, instructionsOf, openFence, questionOf } from './instructions.ts';
import { IssuedSources } from './issued-sources.ts';
import { noticeOf, UnusableAnswer } from './model-notice.ts';
import { runCall, type ToolContext } from './tools.ts';

export interface WriteOptions {
  readonly signal: AbortSignal;
  /** Milliseconds that are left for the answer. */
  readonly timeLeftMs: number;
  readonly onProgress?: ((message: string) => void) | undefined;
  readonly onText?: ((piece: string) => void) | undefined;
}

interface Writing {
  readonly deps: AdvisorDeps;
  readonly model: ModelDeps;
  readonly pack: Pack;
  readonly extracted: Answer;
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
  const { timeoutMs } = model.limits ?? modelLimits;
  const timeout = AbortSignal.timeout(Math.max(0, Math.min(timeoutMs, options.timeLeftMs)));
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    return await writeWithModel(writing, { ...options, signal, onText });
  } catch (error) {
    options.signal.throwIfAborted();
    const notice = noticeOf(error, timeout.aborted);
    model.log.warn(
      { code: notice.code, model: model.languageModel.name, ...reasonsOf(error) },
      'the language model did not answer; the answer was extracted',
    );
    if (hasText) onText(`\n\n${notice.message}\n\n`);
    onText(extracted.answer);
    return { ...extracted, notice };
  }
}

/** Returns the reasons of a failure for the log, with the provider's own words and the error of the request. */
function reasonsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof UnusableAnswer) return { reason: error.message };
  if (!(error instanceof ModelFailure)) return { err: error };
  const { message, said, outbound } = error;
  return { reason: message, said, cause: outbound?.message, ...outbound?.detail };
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
  const question = questionOf(pack, extracted.answer, sources, fence);
  const context = { deps, model, inquiry: pack.inquiry, signal };
  const isCut = await runTurns({ limits, question, context, issued, fence, text, onProgress });
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

interface Conversation {
  readonly limits: ModelLimits;
  readonly question: string;
  readonly context: ToolContext;
  readonly issued: IssuedSources;
  readonly fence: Fence;
  readonly text: AnswerText;
  readonly onProgress: WriteOptions['onProgress'];
}

/**
 * Lets the model answer, in turns: it writes text, or calls tools and gets their results. Resolves with whether the
 * provider cut the text.
 * @throws ModelFailure, UnusableAnswer
 */
async function runTurns({
  limits,
  question,
  context,
  text,
  onProgress,
  ...shown
}: Conversation): Promise<boolean> {
  const { model, signal } = context;
  const tools = model.tools.map(({ declaration }) => declaration);
  const instructions = instructionsOf(shown.fence);
  const messages: ModelMessage[] = [{ role: 'user', text: question }];
  let steps = limits.steps;
  let characters = limits.inputTokens * 4;
  for (;;) {
    // About how long the messages are in a request.
    const { length } = JSON.stringify(messages);
    characters -= instructions.length + length;
    if (characters < 0) throw new UnusableAnswer('it used up its tokens');
    // A call is followed by one more turn, which sends at least as much.
    const mayCall = steps > 0 && characters > 2 * length;
    onProgress?.(messages.length === 1 ? 'Asking the language model' : 'The language model reads on');
    const turn = { instructions, messages, tools, mayCall, startsInThinking: text.hasRetracted };
    const calls: ModelCall[] = [];
    let isCut = false;
    for await (const event of model.languageModel.write(
      { ...turn, maxOutputTokens: limits.outputTokensOfTurn },
      signal,
    )) {
      if (event.kind === 'call') calls.push(event.call);
      else if (event.kind === 'end') isCut = event.isCut;
      else text.take(event);
    }
    const said = text.endTurn(calls.length > 0);
    if (calls.length === 0) return isCut;
    if (!mayCall) throw new UnusableAnswer('it did not stop calling tools');
    const results: ModelResult[] = [];
    for (const call of calls) {
      const { id, name } = call;
      const result =
        steps > 0 ? await runCall(call, context, shown) : 'Not run: answer now from what you have.';
      results.push({ id, name, text: result });
      steps = Math.max(0, steps - 1);
    }
    messages.push({ role: 'assistant', text: said, calls }, { role: 'tools', results });
  }
}
