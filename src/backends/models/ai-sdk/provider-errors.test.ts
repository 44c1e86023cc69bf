import { describe, expect, it } from 'vitest';
import type { Script } from '../../../../test/standins/model/model-service.ts';
import { contextErrors, limitErrors, streamErrors } from '../../../../test/standins/model/provider-errors.ts';
import type { RefusedTurn } from '../../../../test/standins/model/turns.ts';
import { type OpenedModel, openModelForTest } from '../../../../test/support/advisor/opened-model.ts';
import type { ModelEvent, ModelFailure, ModelTurn } from '../port.ts';

const turn: ModelTurn = {
  instructions: 'Answer.',
  messages: [{ role: 'user', text: 'Where?' }],
  tools: [],
  mayCall: false,
  maxOutputTokens: 50,
};

async function eventsOf({ languageModel }: OpenedModel): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of languageModel.write(turn, new AbortController().signal)) events.push(event);
  return events;
}

async function failureOf(script: Script, kind?: 'anthropic'): Promise<ModelFailure> {
  const opened = await openModelForTest(script, kind === undefined ? {} : { kind });
  const error = await eventsOf(opened).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ModelFailure' });
  return error as ModelFailure;
}

const refused = (body: RefusedTurn['body'], status = 400) => failureOf(() => ({ status, body }));

describe('the words of a provider', () => {
  it.each<[string, RefusedTurn['body'], string]>([
    ['of OpenAI', { error: { message: 'The model is overloaded.' } }, 'The model is overloaded.'],
    [
      'of vLLM, without an object around them',
      { object: 'error', message: 'no tool parser' },
      'no tool parser',
    ],
    ['that are only a text', { error: 'llama3 does not support tools' }, 'llama3 does not support tools'],
    ['of FastAPI', { detail: [{ loc: ['body'], msg: 'Field required' }] }, 'Field required'],
    ['of Google', [{ error: { code: 400, message: 'API key not valid.' } }], 'API key not valid.'],
    [
      'of the service behind a gateway',
      { error: { message: 'Provider returned error', metadata: { raw: '{"message":"no quota"}' } } },
      'Provider returned error: no quota',
    ],
    ['on a page', '<html><head></head><body><h1>502 Bad Gateway</h1>\n</body></html>', '502 Bad Gateway'],
    ['of an unknown form', { fault: { text: 7 } }, '{"fault":{"text":7}}'],
    ['with characters of a terminal', { error: { message: 'a\u001B[31m\n\u202Eb' } }, 'a[31m b'],
  ])('%s are kept', async (_what, body, said) => {
    expect(await refused(body)).toMatchObject({ reason: 'refused', status: 400, said });
  });

  it('are at most 300 characters', async () => {
    const { said } = await refused({ error: { message: 'word '.repeat(2_000) } });
    expect(said).toMatch(/^(?:word ){60}…$/u);
    expect((await refused('x '.repeat(100_000))).said).toHaveLength(301);
  });

  it('are absent if there are none', async () => {
    expect((await refused('')).said).toBeUndefined();
    expect((await failureOf(() => 'page')).said).toBeUndefined();
  });

  it.each<[string, string]>([
    ['the key', 'Incorrect API key provided: model-key-that-nobody-may-see.'],
    ['the key, encoded', `Got ${Buffer.from(':model-key-that-nobody-may-see').toString('base64')}.`],
    ['the key in capitals', 'Incorrect API key provided: MODEL-KEY-THAT-NOBODY-MAY-SEE.'],
    ['the key, cut', 'Got model-key-that-nobody-may-s and no more'],
    ['the key in base64', `Got ${Buffer.from('model-key-that-nobody-may-see').toString('base64')}.`],
    ['a bearer token', 'invalid Authorization: Bearer abcdef.0123-xyz, see the docs'],
    ['a key of OpenAI', 'Incorrect API key provided: sk-proj-Ab12_cd34EF. You can'],
    ['a key of OpenAI that is masked in part', 'provided: sk-Ab12***************EF56. You can'],
    ['a key of Google', 'key AIzaSyA1234567890abcdefghijklmnop was reported as leaked'],
    ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE is not authorized'],
    ['a token of its own', 'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl expired'],
    ['the hash of a key', `Key Hash (Token) = ${'88dc28d0'.repeat(8)} not found`],
    ['a key in an address', 'POST https://gate.example/v1?api_key=hush-hush-hush failed'],
  ])('do not contain %s', async (_what, message) => {
    const { said } = await refused({ error: { message } }, 401);
    expect(said).toContain('[redacted]');
    expect(said).not.toMatch(
      /nobody|bW9kZWwt|NOBODY|bm9ib2R5|that-|0123-xyz|Ab12|EF|AIzaSy|AKIA|eyJ|c2lnb|88dc28d0|hush/u,
    );
  });

  it('do not contain a key in a body of an unknown form', async () => {
    const { said } = await refused({ 'api-key': '0123456789abcdef-xyz' }, 401);
    expect(said).toBe('{"api-key":"[redacted]"}');
  });

  it('keep names of models and ids of requests', async () => {
    const message = 'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8 at req_011CSHoEeqs5C35K2UUqR7Fy is unknown';
    expect((await refused({ error: { message } }, 404)).said).toBe(message);
  });

  it('are no part of the message, which may be shown to everybody', async () => {
    const error = await refused({ error: { message: 'the secret plan' } });
    expect(error.message).toBe('The language model failed (refused, status 400).');
  });
});

describe('a request that is longer than the context', () => {
  it.each(Object.entries(contextErrors))('is known as such: %s', async (_name, error) => {
    const { reason, status, said } = await failureOf(() => error);
    expect([reason, status]).toEqual(['too_long', error.status]);
    expect(said).toMatch(/\w/u);
  });

  it('is known as such from Anthropic itself', async () => {
    const { Anthropic = { status: 0, body: '' } } = contextErrors;
    expect(await failureOf(() => Anthropic, 'anthropic')).toMatchObject({
      reason: 'too_long',
      said: 'prompt is too long: 210000 tokens > 200000 maximum',
    });
  });

  it('is not mistaken for a wrong key', async () => {
    expect((await refused({ error: { message: 'no access to this context window' } }, 403)).reason).toBe(
      'refused',
    );
  });
});

describe('a refusal of max_tokens', () => {
  it.each(Object.entries(limitErrors))(
    'of %s is answered with the other name, once',
    async (_name, error) => {
      const opened = await openModelForTest(({ limit }) => (limit === 'max_tokens' ? error : { text: 'ok' }));
      for (let question = 0; question < 2; question++)
        expect(await eventsOf(opened)).toEqual([
          { kind: 'text', text: 'ok' },
          { kind: 'end', isCut: false },
        ]);
      expect(opened.service.turns.map(({ limit, maxTokens }) => [limit, maxTokens])).toEqual([
        ['max_tokens', 50],
        ['max_completion_tokens', 50],
        ['max_completion_tokens', 50],
      ]);
    },
  );

  it('is not repeated twice, nor remembered if the other name is refused too', async () => {
    const error = limitErrors['OpenAI and Azure'] ?? { status: 0, body: '' };
    const opened = await openModelForTest(() => error);
    await expect(eventsOf(opened)).rejects.toMatchObject({ reason: 'refused', status: 400 });
    await expect(eventsOf(opened)).rejects.toMatchObject({ reason: 'refused' });
    expect(opened.service.turns.map(({ limit }) => limit)).toEqual([
      'max_tokens',
      'max_completion_tokens',
      'max_tokens',
      'max_completion_tokens',
    ]);
  });

  it('for another reason is not repeated', async () => {
    const opened = await openModelForTest(() => ({
      status: 400,
      body: { error: { message: 'max_tokens is too large: 5000.' } },
    }));
    await expect(eventsOf(opened)).rejects.toMatchObject({ reason: 'refused' });
    expect(opened.service.turns).toHaveLength(1);
  });
});

describe('an error in the middle of a stream', () => {
  it.each(Object.entries(streamErrors))('of %s is a failure with its words', async (_name, error) => {
    const { reason, status, said } = await failureOf(() => ({ text: 'The first words', error }));
    expect([reason, status]).toEqual(['failed', undefined]);
    expect(JSON.stringify(error)).toContain(said);
  });

  it('of Anthropic is a failure with its words', async () => {
    const error = { error: { type: 'overloaded_error', message: 'Overloaded' } };
    const failure = await failureOf(() => ({ text: 'The first words', error }), 'anthropic');
    expect(failure).toMatchObject({ reason: 'failed', said: 'Overloaded' });
  });

  it('that only its finish reason tells is a failure', async () => {
    const choices = [{ index: 0, delta: {}, finish_reason: 'error' }];
    expect((await failureOf(() => ({ text: 'Half', error: { choices } }))).reason).toBe('failed');
  });

  it('that says that the request is too long is known as such', async () => {
    const { 'llama.cpp': tooLong } = contextErrors;
    const error = tooLong?.body as object;
    expect((await failureOf(() => ({ text: [], error }))).reason).toBe('too_long');
  });
});
