import { z } from 'zod';
import { checkPairs, endOf, piecesOf, type ReceivedTurn, type WrittenTurn } from './turns.ts';

const call = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(call).nonempty().optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);

const body = z.object({
  model: z.string(),
  messages: z.array(message).nonempty(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  stream: z.boolean().default(false),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: z.string().regex(/^[\w-]{1,64}$/),
          parameters: z.object({ type: z.literal('object') }),
        }),
      }),
    )
    .nonempty()
    .optional(),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
});

/** Reads a request of the Chat Completions API. @throws ZodError */
export function readOpenai(json: unknown): { readonly model: string; readonly turn: ReceivedTurn } {
  const {
    model,
    messages,
    tools = [],
    tool_choice: choice,
    stream,
    max_tokens: oldLimit,
    max_completion_tokens: newLimit,
  } = body.parse(json);
  const calls = messages.flatMap((each) => (each.role === 'assistant' ? (each.tool_calls ?? []) : []));
  const results = messages.flatMap((each) => (each.role === 'tool' ? [each.tool_call_id] : []));
  const turn: ReceivedTurn = {
    shape: 'openai',
    instructions: messages.flatMap((each) => (each.role === 'system' ? [each.content] : [])).join('\n'),
    texts: messages.flatMap((each) => (each.role === 'system' ? [] : [each.content ?? ''])),
    tools: choice === 'none' ? [] : tools.map((tool) => tool.function.name),
    calls: calls.map(({ id, function: { name } }) => ({ id, name })),
    results,
    maxTokens: newLimit ?? oldLimit ?? 0,
    limit: newLimit === undefined ? 'max_tokens' : 'max_completion_tokens',
    isStream: stream,
  };
  checkPairs(turn);
  return { model, turn };
}

const reasons = { stop: 'stop', calls: 'tool_calls', length: 'length' } as const;

function chunk(model: string, delta: object, reason: string | null = null): object {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices };
}

/** The event of one piece of text. */
export function openaiText(model: string, text: string): string {
  return `data: ${JSON.stringify(chunk(model, { role: 'assistant', content: text }))}\n\n`;
}

/** Yields the events of a turn. */
export function* openaiEvents(model: string, turn: WrittenTurn): Generator<string, void> {
  for (const piece of piecesOf(turn)) yield openaiText(model, piece);
  if (turn.error !== undefined) return yield `data: ${JSON.stringify(turn.error)}\n\n`;
  for (const [index, { name, arguments: given }] of (turn.calls ?? []).entries()) {
    const written = JSON.stringify(given);
    const start = { index, id: `call_${name}_${index}`, type: 'function', function: { name, arguments: '' } };
    yield `data: ${JSON.stringify(chunk(model, { tool_calls: [start] }))}\n\n`;
    const rest = { index, function: { arguments: written } };
    yield `data: ${JSON.stringify(chunk(model, { tool_calls: [rest] }))}\n\n`;
  }
  yield `data: ${JSON.stringify(chunk(model, {}, reasons[endOf(turn)]))}\n\n`;
  yield 'data: [DONE]\n\n';
}

/** Returns a whole turn, for a request without `stream`. */
export function openaiWhole(model: string, turn: WrittenTurn): object {
  const calls = (turn.calls ?? []).map(({ name, arguments: given }, index) => ({
    id: `call_${name}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  const content = {
    role: 'assistant',
    content: piecesOf(turn).join(''),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: content, finish_reason: reasons[endOf(turn)] }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

export function openaiError(status: number, what: string): object {
  const type =
    status === 429 ? 'rate_limit_exceeded' : status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message: what, type, param: null, code: null } };
}
