import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../../../test/standins/model/model-service.ts';
import { contextErrors } from '../../../../test/standins/model/provider-errors.ts';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { openModelForTest } from '../../../../test/support/advisor/opened-model.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;
beforeAll(async () => {
  advisor = await openFerry();
});
afterAll(() => advisor.close());

const prompt = 'How does retryWithBackoff give up?';

async function askModel(script: Script) {
  const model = await openModelForTest(script);
  const pieces: string[] = [];
  const follow = { ...asking, onText: (piece: string) => void pieces.push(piece) };
  const answer = await ask(model.with(advisor.deps), advisor.projecting.scope, { prompt }, follow);
  return { ...model, answer, pieces };
}

const extracted = () => ask(advisor.deps, advisor.projecting.scope, { prompt }, asking);
const { vLLM: tooLong = { status: 0, body: '' } } = contextErrors;

describe('too long a context', () => {
  it('leads to the extracted answer with its own notice', async () => {
    const { answer, service, lines } = await askModel(() => tooLong);
    const { notice, ...rest } = answer;
    expect(rest).toEqual(await extracted());
    expect(notice).toEqual({
      code: 'model_context_exceeded',
      message: expect.stringMatching(/too long for the language model\. .+larger context\.$/u),
    });
    expect(service.turns).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({ code: 'model_context_exceeded' });
  });

  it('is not asked again after text was shown', async () => {
    const search = { name: 'search_code', arguments: { query: 'harbour' } };
    const { answer, service, pieces } = await askModel(({ results }) =>
      results.length === 0 ? { text: 'First [1].', calls: [search] } : tooLong,
    );
    expect(answer.notice?.code).toBe('model_context_exceeded');
    expect(service.turns).toHaveLength(2);
    expect(pieces.join('')).toContain(answer.answer);
  });
});

describe("the provider's reason", () => {
  it('is in the log without keys, and not in the answer', async () => {
    const { answer, lines } = await askModel(() => ({
      status: 401,
      body: {
        error: { message: 'Incorrect API key provided: model-key-that-nobody-may-see. Ask the boss.' },
      },
    }));
    expect(lines).toMatchObject([
      { code: 'model_refused', said: 'Incorrect API key provided: [redacted]. Ask the boss.' },
    ]);
    expect(JSON.stringify(answer)).not.toContain('boss');
  });

  it('is in the log for an error in mid-stream, which is model_unavailable', async () => {
    const error = { error: { message: 'out of memory' } };
    const { answer, lines, pieces } = await askModel(() => ({ text: 'The first words [1].', error }));
    expect(answer.notice?.code).toBe('model_unavailable');
    expect(lines).toMatchObject([{ code: 'model_unavailable', said: 'out of memory' }]);
    expect(pieces.join('')).toContain(answer.answer);
  });
});

describe('the thinking of a model', () => {
  it('is neither shown nor sent back', async () => {
    const search = { name: 'search_code', arguments: { query: 'harbour' } };
    const { answer, pieces, service } = await askModel(({ results }) =>
      results.length === 0
        ? { text: ['<thi', 'nk>secret [1]', ' plan</th', 'ink>'], calls: [search] }
        : { text: ['<think>secret', '</think>\n\nIt does', ' [1].<think>secret'] },
    );
    expect(answer.answer).toMatch(/^It does \[1\]\./u);
    expect(pieces.join('')).toBe(answer.answer);
    expect(JSON.stringify(service.turns)).not.toMatch(/secret|think>/u);
  });

  it('that never ends leads to the extracted answer', async () => {
    const { answer, pieces } = await askModel(() => ({ text: '<think>secret [1]', end: 'length' }));
    expect(answer.notice?.code).toBe('model_answer_invalid');
    expect(pieces.join('')).not.toContain('secret');
  });

  it('without a beginning is dropped while it cites nothing', async () => {
    const { answer, pieces } = await askModel(() => ({ text: ['Secret plan.', '</think>', 'So [1].'] }));
    expect(answer.answer).toMatch(/^So \[1\]\./u);
    expect(pieces.join('')).toBe(answer.answer);
  });

  it('without a beginning that was shown leads to the extracted answer', async () => {
    const { answer, pieces } = await askModel(() => ({ text: ['Secret [2].\n', '</think>', 'So [1].'] }));
    const { notice, ...rest } = answer;
    expect(notice?.code).toBe('model_answer_invalid');
    expect(rest).toEqual(await extracted());
    expect(pieces.join('')).toBe(`Secret [1].\n\n\n${notice?.message}\n\n${answer.answer}`);
  });

  it('without a beginning is held back in the next turns of the question', async () => {
    const search = { name: 'search_code', arguments: { query: 'harbour' } };
    const { answer, pieces } = await askModel(({ results }) =>
      results.length === 0
        ? { text: ['Secret plan.', '</think>'], calls: [search] }
        : { text: ['Secret [2]. ', '</think>', 'So [1].'] },
    );
    expect(answer.answer).toMatch(/^So \[1\]\./u);
    expect(pieces.join('')).toBe(answer.answer);
  });
});

it('logs why there was no response', async () => {
  const { answer, lines } = await askModel(() => 'break');
  expect(lines).toMatchObject([
    { code: 'model_unavailable', cause: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached/u) },
  ]);
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
});
