import type {
  LanguageModel,
  ModelCall,
  ModelMessage,
  ModelResult,
  ModelTurn,
} from '../../../backends/models/port.ts';
import type { AnswerText } from './answer-text.ts';
import type { Fence } from './instructions.ts';
import type { IssuedSources } from './issued-sources.ts';
import type { ModelLimits } from './model-deps.ts';
import { UnusableAnswer } from './model-notice.ts';
import { modelTools, runCall, type ToolContext } from './tools.ts';

export interface Conversation {
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
export async function runTurns(conversation: Conversation): Promise<{ readonly isCut: boolean }> {
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
    if (turn.calls.length === 0) return { isCut: turn.isCut };
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
