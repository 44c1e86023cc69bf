import { z } from 'zod';
import { checkPairs, endOf, piecesOf, type ReceivedTurn, Refused, type WrittenTurn } from './turns.ts';

const text = z.object({ type: z.literal('text'), text: z.string().min(1) });
const use = z.object({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
});
const result = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(text)]).optional(),
});

const message = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.array(z.discriminatedUnion('type', [text, use, result])).nonempty(),
});

const body = z.object({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: z.union([z.string(), z.array(text)]).optional(),
  messages: z.array(message).nonempty(),
  stream: z.boolean().default(false),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[\w-]{1,64}$/),
        input_schema: z.object({ type: z.literal('object') }),
      }),
    )
    .optional(),
  tool_choice: z.object({ type: z.enum(['auto', 'none', 'any', 'tool']) }).optional(),
});

type Blocks = z.output<typeof message>['content'];

function textOf(block: Blocks[number]): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool_use') return '';
  const { content = '' } = block;
  return typeof content === 'string' ? content : content.map((part) => part.text).join('');
}

/** Reads a request of the Messages API. @throws ZodError, Refused */
export function readAnthropic(json: unknown): { readonly model: string; readonly turn: ReceivedTurn } {
  const request = body.parse(json);
  const { system = '', messages, tools = [] } = request;
  const blocks = messages.flatMap(({ content }) => content);
  const calls = blocks.filter((block) => block.type === 'tool_use');
  if (messages[0]?.role !== 'user') throw new Refused(400, 'the first message must be of the user');
  if (messages.some(({ role }, at) => role === messages[at - 1]?.role))
    throw new Refused(400, 'roles must alternate');
  if (calls.length > 0 && tools.length === 0) throw new Refused(400, 'tools must be defined');
  const turn: ReceivedTurn = {
    shape: 'anthropic',
    instructions: typeof system === 'string' ? system : system.map((part) => part.text).join('\n'),
    texts: blocks.map(textOf),
    tools: request.tool_choice?.type === 'none' ? [] : tools.map(({ name }) => name),
    calls: calls.map(({ id, name }) => ({ id, name })),
    results: blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
    maxTokens: request.max_tokens,
    limit: 'max_tokens',
    isStream: request.stream,
  };
  checkPairs(turn);
  return { model: request.model, turn };
}

const reasons = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' } as const;

function event(data: { readonly type: string; readonly [name: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function start(model: string): string {
  const empty = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  return event({
    type: 'message_start',
    message: { ...empty, stop_reason: null, stop_sequence: null, usage },
  });
}

/** The beginning of a turn with one piece of text. */
export function anthropicText(model: string, piece: string): string {
  return [start(model), blockStart(0, { type: 'text', text: '' }), textDelta(0, piece)].join('');
}

export function textDelta(index: number, piece: string): string {
  return event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } });
}

function blockStart(index: number, block: object): string {
  return event({ type: 'content_block_start', index, content_block: block });
}

/** Yields the events of a turn. */
export function* anthropicEvents(model: string, turn: WrittenTurn): Generator<string, void> {
  yield start(model);
  const pieces = piecesOf(turn);
  if (pieces.length > 0) {
    yield blockStart(0, { type: 'text', text: '' });
    for (const piece of pieces) yield textDelta(0, piece);
    yield event({ type: 'content_block_stop', index: 0 });
  }
  if (turn.error !== undefined) return yield event({ type: 'error', ...turn.error });
  for (const [at, { name, arguments: input }] of (turn.calls ?? []).entries()) {
    const index = at + (pieces.length > 0 ? 1 : 0);
    yield blockStart(index, { type: 'tool_use', id: `toolu_${name}_${at}`, name, input: {} });
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    yield event({ type: 'content_block_delta', index, delta });
    yield event({ type: 'content_block_stop', index });
  }
  const stopped = { stop_reason: reasons[endOf(turn)], stop_sequence: null };
  yield event({ type: 'message_delta', delta: stopped, usage: { output_tokens: 5 } });
  yield event({ type: 'message_stop' });
}

/** Returns a whole turn, for a request without `stream`. */
export function anthropicWhole(model: string, turn: WrittenTurn): object {
  const calls = (turn.calls ?? []).map(({ name, arguments: input }, at) => {
    return { type: 'tool_use', id: `toolu_${name}_${at}`, name, input };
  });
  const written = piecesOf(turn).join('');
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [...(written === '' ? [] : [{ type: 'text', text: written }]), ...calls],
    stop_reason: reasons[endOf(turn)],
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

export function anthropicError(status: number, what: string): object {
  const types: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
  };
  const type = types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message: what } };
}
