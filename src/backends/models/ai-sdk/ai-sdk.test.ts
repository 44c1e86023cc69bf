import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ModelService,
  type Script,
  startModelService,
} from '../../../../test/standins/model/model-service.ts';
import { failures, type Reply } from '../../../../test/standins/model/turns.ts';
import { createHttpClient } from '../../../foundation/net/http-client.ts';
import { type ModelAccess, type ModelEvent, ModelFailure, type ModelTurn } from '../port.ts';
import { anthropic } from './anthropic.ts';
import { openaiCompatible } from './openai-compatible.ts';

const providers = { 'openai-compatible': openaiCompatible, anthropic } as const;
type Kind = keyof typeof providers;
const kinds = Object.keys(providers) as Kind[];

const tools = [
  {
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: { at: { type: 'string' } } },
  },
];
const first: ModelTurn = {
  instructions: 'Answer.',
  messages: [{ role: 'user', text: 'Where?' }],
  tools,
  mayCall: true,
  maxOutputTokens: 50,
};

async function open(
  kind: Kind,
  script: Script,
  { access = {}, stallMs = 5_000 }: { access?: Partial<ModelAccess>; stallMs?: number } = {},
) {
  const service = await startModelService(script);
  const http = createHttpClient({ allowHosts: [] });
  onTestFinished(async () => {
    await http.close();
    await service[Symbol.asyncDispose]();
  });
  const given = { url: service.urls[kind], key: service.key, name: service.model, ...access };
  return { service, model: providers[kind].open(given, http, { stallMs, maxBytes: 1_000_000 }) };
}

async function eventsOf(
  { model }: { model: ReturnType<typeof openaiCompatible.open>; service: ModelService },
  turn = first,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.write(turn, signal)) events.push(event);
  return events;
}

describe.each(kinds)('the model of %s', (kind) => {
  it('writes text in pieces, as they arrive', async () => {
    const opened = await open(kind, () => ({ text: ['In ', 'the harbour.'] }));
    expect(await eventsOf(opened)).toEqual([
      { kind: 'text', text: 'In ' },
      { kind: 'text', text: 'the harbour.' },
      { kind: 'end', isCut: false },
    ]);
    expect(opened.service.turns).toMatchObject([
      { instructions: 'Answer.', texts: ['Where?'], tools: ['look'], maxTokens: 50, isStream: true },
    ]);
  });

  it('asks for calls, and goes on with their results', async () => {
    const opened = await open(kind, ({ results }) =>
      results.length === 0
        ? { text: 'I look.', calls: [{ name: 'look', arguments: { at: 'quay' } }] }
        : { text: 'There.', end: 'length' },
    );
    const events = await eventsOf(opened);
    const calls = events.flatMap((event) => (event.kind === 'call' ? [event.call] : []));
    expect(calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ['look', { at: 'quay' }],
    ]);
    const results = calls.map(({ id, name }) => ({ id, name, text: 'A ship.' }));
    const messages = [
      ...first.messages,
      { role: 'assistant', text: 'I look.', calls },
      { role: 'tools', results },
    ] as const;
    expect(await eventsOf(opened, { ...first, messages, mayCall: false })).toEqual([
      { kind: 'text', text: 'There.' },
      { kind: 'end', isCut: true },
    ]);
    expect(opened.service.turns[1]).toMatchObject({ tools: [], calls: [{ name: 'look' }] });
    expect(opened.service.turns[1]?.texts.join()).toContain('A ship.');
  });

  const reasons: Readonly<Record<Extract<Reply, string>, string>> = {
    hang: 'timeout',
    stall: 'timeout',
    garbage: 'invalid',
    page: 'invalid',
    'rate-limit': 'rate_limited',
    failure: 'failed',
    'error-event': 'failed',
    break: 'unreachable|invalid',
    'no-end': 'invalid',
    empty: '',
    endless: 'invalid',
    huge: 'invalid',
  };

  it.each(failures.filter((failure) => failure !== 'empty'))(
    'that answers with %s fails with a reason',
    async (failure) => {
      const opened = await open(kind, () => failure, {
        stallMs: failure === 'hang' || failure === 'stall' ? 300 : 20_000,
      });
      const error = await eventsOf(opened).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ModelFailure);
      expect((error as ModelFailure).reason).toMatch(new RegExp(`^(?:${reasons[failure]})$`));
    },
  );

  it.each<[string, Partial<ModelAccess>, number]>([
    ['a wrong key', { key: 'wrong-key' }, 401],
    ['an unknown model', { name: 'other' }, 404],
  ])('with %s is refused, and the error does not contain the key', async (_what, access, status) => {
    const error = await eventsOf(await open(kind, () => ({}), { access })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'refused', status });
    expect(`${String(error)}${JSON.stringify(error)}${String((error as Error).cause)}`).not.toContain(
      'wrong-key',
    );
  });

  it('without a service at its address is unreachable', async () => {
    const opened = await open(kind, () => ({}), { access: { url: 'http://127.0.0.1:1/v1' } });
    await expect(eventsOf(opened)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it.each(['hang', 'stall', 'endless'] as const)(
    'closes the connection at once on an abort of %s',
    async (failure) => {
      const caller = new AbortController();
      const opened = await open(kind, () => failure, { stallMs: 60_000 });
      const events = eventsOf(opened, first, caller.signal);
      const check = expect(events).rejects.toThrow('gone');
      await expect.poll(() => opened.service.turns.length).toBe(1);
      caller.abort(new Error('gone'));
      await check;
      await opened.service.untilLeft();
    },
  );

  it('writes the same for a question, whatever another question led to', async () => {
    const replies = [
      { text: 'The tag </think> ends it.' },
      { text: ['The port is ', '4000, see'], end: 'length' as const },
    ];
    const opened = await open(kind, () => replies.shift() ?? 'failure');
    expect(await eventsOf(opened)).toContainEqual({ kind: 'retract' });
    expect(await eventsOf(opened)).toEqual([
      { kind: 'text', text: 'The port is ' },
      { kind: 'text', text: '4000, see' },
      { kind: 'end', isCut: true },
    ]);
  });

  it('holds back the text of a turn that may begin with thinking, and writes it if the turn is cut', async () => {
    const replies = [
      { text: ['Secret ', 'plan</think>', 'So.'] },
      { text: ['The port is ', '4000'], end: 'length' as const },
    ];
    const opened = await open(kind, () => replies.shift() ?? 'failure');
    const turn = { ...first, startsInThinking: true };
    expect(await eventsOf(opened, turn)).toEqual([
      { kind: 'text', text: 'So.' },
      { kind: 'end', isCut: false },
    ]);
    expect(await eventsOf(opened, turn)).toEqual([
      { kind: 'text', text: 'The port is 4000' },
      { kind: 'end', isCut: true },
    ]);
  });
});
