import {
  type ModelCall,
  ModelFailure,
  type ModelMessage,
  type ModelResult,
} from '../../../backends/models/port.ts';
import { modelLimits } from '../advisor-deps.ts';
import type { Answer } from '../answer.ts';
import type { Pack } from '../collect-pack.ts';
import { notesOf } from '../write/notes.ts';
import { answerText, freshnessOf } from '../write/write-pack.ts';
import { AnswerText } from './answer-text.ts';
import { instructionsOf, openFence, questionOf } from './instructions.ts';
import { IssuedSources } from './issued-sources.ts';
import { noticeOf, unusable } from './model-notice.ts';
import { type ModelCallContext, runCall } from './tools.ts';

const notRun = 'Not run: answer now from what you have.';

/** The answer of a pack without the language model, and what is needed to write it with one. */
export interface Writing extends ModelCallContext {
  readonly pack: Pack;
  readonly extracted: Answer;
  /** Milliseconds that are left for the answer. */
  readonly timeLeftMs: number;
  readonly onProgress?: ((message: string) => void) | undefined;
  readonly onText?: ((piece: string) => void) | undefined;
}

/**
 * Writes the answer of a pack with the language model. If that fails for any reason, the answer is that of the pack,
 * with a notice. Rejects with the reason of `signal` if that is aborted.
 */
export async function writeBestAnswer(writing: Writing): Promise<Answer> {
  const { model, extracted } = writing;
  let hasText = false;
  const onText = (piece: string): void => {
    hasText = true;
    writing.onText?.(piece);
  };
  const { timeoutMs } = model.limits ?? modelLimits;
  const timeout = AbortSignal.timeout(Math.max(0, Math.min(timeoutMs, writing.timeLeftMs)));
  const signal = AbortSignal.any([writing.signal, timeout]);
  try {
    return await writeWithModel({ ...writing, signal, onText });
  } catch (error) {
    writing.signal.throwIfAborted();
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
  if (!(error instanceof ModelFailure)) return { err: error };
  const { message, said, outbound } = error;
  return { reason: message, said, cause: outbound?.message, ...outbound?.detail };
}

async function writeWithModel(writing: Writing): Promise<Answer> {
  const { model, pack, extracted, onText } = writing;
  const { answerCharacters } = model.limits ?? modelLimits;
  // The numbers of the extracted answer are those that the model knows, so that it can use its statements.
  const issued = new IssuedSources(extracted.citations);
  const text = new AnswerText(issued, answerCharacters, (piece) => onText?.(piece));
  const isCut = await runTurns(writing, issued, text);
  const citations = issued.citations();
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

/**
 * Lets the model answer, in turns: it writes text, or calls tools and gets their results. Resolves with whether the
 * provider cut the text.
 * @throws ModelFailure
 */
async function runTurns(writing: Writing, issued: IssuedSources, text: AnswerText): Promise<boolean> {
  const { model, pack, extracted, signal, onProgress } = writing;
  const { inputTokens, outputTokensOfTurn: maxOutputTokens, ...limits } = model.limits ?? modelLimits;
  const fence = openFence();
  const instructions = instructionsOf(fence);
  const tools = model.tools.map(({ declaration }) => declaration);
  const question = questionOf(pack, extracted, fence);
  const messages: ModelMessage[] = [{ role: 'user', text: question }];
  let { steps } = limits;
  let characters = inputTokens * 4;
  for (;;) {
    // The approximate length of the request, in characters.
    const { length } = JSON.stringify([instructions, tools, messages]);
    characters -= length;
    if (characters < 0) throw unusable('it used up its tokens');
    // A call is followed by one more turn, which sends at least as much.
    const mayCall = steps > 0 && characters > 2 * length;
    onProgress?.(messages.length === 1 ? 'Asking the language model' : 'The language model reads on');
    const { hasRetracted: startsInThinking } = text;
    const turn = { instructions, messages, tools, mayCall, maxOutputTokens, startsInThinking };
    const calls: ModelCall[] = [];
    let isCut = false;
    for await (const event of model.languageModel.write(turn, signal)) {
      if (event.kind === 'call') calls.push(event.call);
      else if (event.kind === 'end') isCut = event.isCut;
      else text.take(event);
    }
    const said = text.endTurn(calls.length > 0);
    if (calls.length === 0) return isCut;
    if (!mayCall) throw unusable('it did not stop calling tools');
    const results: ModelResult[] = [];
    for (const [at, call] of calls.entries()) {
      const isRun = at < steps;
      const result = isRun ? await runCall(call, writing, { issued, fence }) : notRun;
      results.push({ id: call.id, name: call.name, text: result });
    }
    steps -= calls.length;
    messages.push({ role: 'assistant', text: said, calls }, { role: 'tools', results });
  }
}
