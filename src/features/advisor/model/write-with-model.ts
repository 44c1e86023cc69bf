import {
  type LanguageModel,
  type ModelCall,
  ModelFailure,
  type ModelMessage,
  type ModelResult,
  type ModelTurn,
} from '../../../backends/models/port.ts';
import type { AdvisorDeps } from '../advisor-deps.ts';
import type { Answer } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { notesOf } from '../write/notes.ts';
import { answerText, freshnessOf } from '../write/write-pack.ts';
import { AnswerText } from './answer-text.ts';
import { type Fence, instructionsOf, openFence, questionOf } from './instructions.ts';
import { IssuedSources } from './issued-sources.ts';
import { type ModelDeps, type ModelLimits, modelLimits } from './model-deps.ts';
import { noticeOf, UnusableAnswer, unavailable } from './model-notice.ts';
import { modelTools, runCall, type ToolContext } from './tools.ts';

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
  const isCut = await runTurns({
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

interface Conversation {
  readonly model: LanguageModel;
  readonly limits: ModelLimits;
  readonly instructions: string;
  readonly question: string;
  readonly context: ToolContext;
  readonly issued: IssuedSources;
  readonly fence: Fence;
  readonly text: AnswerText;
  readonly onProgress: ((message: string) => void) | undefined;
}

/** Maximum number of calls in one turn, beyond the steps that are left. */
const maxRefused = 8;

/**
 * Lets the model answer, in turns: it writes text, or calls tools and gets their results. Resolves with whether the
 * provider cut the text.
 * @throws ModelFailure, UnusableAnswer
 */
async function runTurns(conversation: Conversation): Promise<boolean> {
  const { limits, instructions, question, text, onProgress } = conversation;
  const messages: ModelMessage[] = [{ role: 'user', text: question }];
  let startsInThinking = false;
  let steps = limits.steps;
  let characters = limits.inputTokens * 4;
  for (;;) {
    characters -= instructions.length + lengthOf(messages);
    if (characters < 0) throw new UnusableAnswer('model_answer_invalid', 'it used up its tokens');
    // A call is followed by one more turn, which sends at least as much.
    const mayCall = steps > 0 && characters > 2 * lengthOf(messages);
    onProgress?.(steps === limits.steps ? 'Asking the language model' : 'The language model reads on');
    const turn = await writeTurn(conversation, { messages, mayCall, startsInThinking }, steps + maxRefused);
    startsInThinking ||= turn.hasRetracted;
    text.endTurn(turn.calls.length > 0);
    if (turn.calls.length === 0) return turn.isCut;
    if (!mayCall) throw new UnusableAnswer('model_answer_invalid', 'it did not stop calling tools');
    const results: ModelResult[] = [];
    for (const call of turn.calls) {
      steps -= 1;
      const result =
        steps < 0
          ? 'Not run: answer now from what you have.'
          : await runCall(call, conversation.context, conversation);
      results.push({ id: call.id, name: call.name, text: result });
    }
    steps = Math.max(0, steps);
    messages.push({ role: 'assistant', text: turn.said, calls: turn.calls }, { role: 'tools', results });
  }
}

interface WrittenTurn {
  readonly said: string;
  readonly calls: readonly ModelCall[];
  readonly isCut: boolean;
  readonly hasRetracted: boolean;
}

async function writeTurn(
  { model, limits, instructions, context, text }: Conversation,
  asked: Pick<ModelTurn, 'messages' | 'mayCall' | 'startsInThinking'>,
  maxCalls: number,
): Promise<WrittenTurn> {
  const { outputTokensOfTurn: maxOutputTokens } = limits;
  const turn = { ...asked, instructions, tools: modelTools, maxOutputTokens };
  const calls: ModelCall[] = [];
  const said: string[] = [];
  let isCut = false;
  let hasRetracted = false;
  for await (const event of model.write(turn, context.signal)) {
    if (event.kind === 'text') {
      said.push(event.text);
      text.add(event.text);
    } else if (event.kind === 'retract') {
      hasRetracted = true;
      said.length = 0;
      text.retract();
    } else if (event.kind === 'end') isCut = event.isCut;
    else {
      calls.push(event.call);
      if (calls.length > maxCalls)
        throw new UnusableAnswer('model_answer_invalid', 'it called too many tools at once');
    }
  }
  return { said: said.join(''), calls, isCut, hasRetracted };
}

/** Returns about how long messages are in a request. */
function lengthOf(messages: readonly ModelMessage[]): number {
  return JSON.stringify(messages).length;
}
