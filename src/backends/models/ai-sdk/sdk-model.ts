import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import {
  type LanguageModel,
  type ModelCall,
  type ModelEvent,
  ModelFailure,
  type ModelMessage,
  type ModelTurn,
} from '../port.ts';
import { modelFailureOf } from './model-failure-of.ts';

/** The interface that all models of the SDK have. */
type SdkModel = ReturnType<OpenAICompatibleProvider['chatModel']>;
type Options = Parameters<SdkModel['doStream']>[0];
type Message = Options['prompt'][number];
type Tool = Extract<NonNullable<Options['tools']>[number], { type: 'function' }>;
type Stream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
type Part = Stream extends ReadableStream<infer Each> ? Each : never;
type CallPart = Extract<Part, { type: 'tool-call' }>;

/** Returns a model of the SDK as the port. */
export function sdkModel(name: string, model: SdkModel): LanguageModel {
  return {
    name,
    async *write(turn, signal) {
      signal.throwIfAborted();
      try {
        const { stream } = await model.doStream(optionsOf(turn, signal));
        let isEnded = false;
        for await (const part of stream) {
          const event = eventOf(part);
          if (event === undefined) continue;
          isEnded ||= event.kind === 'end';
          yield event;
        }
        if (!isEnded) throw new ModelFailure('invalid');
      } catch (error) {
        signal.throwIfAborted();
        throw modelFailureOf(error);
      }
    },
  };
}

function optionsOf(
  { instructions, messages, tools, mayCall, maxOutputTokens }: ModelTurn,
  abortSignal: AbortSignal,
): Options {
  return {
    prompt: [{ role: 'system', content: instructions }, ...messages.map(messageOf)],
    maxOutputTokens,
    abortSignal,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(
            ({ name, description, parameters }): Tool => ({
              type: 'function',
              name,
              description,
              inputSchema: parameters as Tool['inputSchema'],
            }),
          ),
          toolChoice: { type: mayCall ? 'auto' : 'none' },
        }),
  };
}

function messageOf(message: ModelMessage): Message {
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text }] };
  if (message.role === 'tools') {
    return {
      role: 'tool',
      content: message.results.map(({ id, name, text }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: text },
      })),
    };
  }
  const said = message.text === '' ? [] : [{ type: 'text', text: message.text } as const];
  return { role: 'assistant', content: [...said, ...message.calls.map(callPart)] };
}

function callPart({ id, name, arguments: text, metadata }: ModelCall) {
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: parsedArguments(text),
    ...(metadata === undefined
      ? {}
      : { providerOptions: metadata as NonNullable<CallPart['providerMetadata']> }),
  } as const;
}

/** Parses what the model wrote. A provider accepts only objects in the history. */
function parsedArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

function eventOf(part: Part): ModelEvent | undefined {
  if (part.type === 'text-delta') return { kind: 'text', text: part.delta };
  if (part.type === 'tool-call') {
    const { toolCallId: id, toolName: name, input, providerMetadata: metadata } = part;
    return {
      kind: 'call',
      call: { id, name, arguments: input, ...(metadata === undefined ? {} : { metadata }) },
    };
  }
  if (part.type === 'error') throw modelFailureOf(part.error);
  if (part.type !== 'finish') return undefined;
  const { unified } = part.finishReason;
  if (unified === 'error' || unified === 'interrupted' || unified === 'content-filter')
    throw new ModelFailure('invalid');
  return { kind: 'end', isCut: unified === 'length' };
}
