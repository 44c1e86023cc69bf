import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script } from '../../../../test/standins/model/model-service.ts';
import type { Failure, ReceivedTurn, WrittenTurn } from '../../../../test/standins/model/turns.ts';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import { asking, type OpenedAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { type ModelOptions, openModelForTest } from '../../../../test/support/advisor/opened-model.ts';
import { seedOrganization, seedRepository } from '../../../../test/support/codesearch/seeded-repositories.ts';
import type { CodeSearch } from '../../../backends/codesearch/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { ask } from '../ask.ts';

let advisor: OpenedAdvisor;
let scope: OrgScope;
let ferry: string;

beforeAll(async () => {
  advisor = await openFerry();
  ({ scope } = advisor.projecting);
  const { citations } = await ask(advisor.deps, scope, { prompt: 'Who owns src/retry.ts?' }, asking);
  ferry = citations.find(({ path }) => path === 'src/retry.ts')?.repository ?? '';
});
afterAll(() => advisor.close());

const prompt = 'How does retryWithBackoff give up?';

async function askModel(script: Script, options: ModelOptions & { of?: OrgScope; prompt?: string } = {}) {
  const model = await openModelForTest(script, options);
  const pieces: string[] = [];
  const question = { prompt: options.prompt ?? prompt };
  const follow = { ...asking, onText: (piece: string) => void pieces.push(piece) };
  const answer = await ask(model.with(advisor.deps), options.of ?? scope, question, follow);
  return { ...model, answer, pieces };
}

const extracted = () => ask(advisor.deps, scope, { prompt }, asking);

/** Returns the number of the first source whose text matches, as the model sees it. */
function sourceWith({ texts }: ReceivedTurn, pattern: RegExp): string {
  const sources = texts.join('\n').split(/\n(?=\[\d+\] )/u);
  return /\[\d+\]/u.exec(sources.find((source) => pattern.test(source)) ?? '')?.[0] ?? '[none]';
}

const calls = (...each: NonNullable<WrittenTurn['calls']>): WrittenTurn => ({ calls: each });

describe.each(['openai-compatible', 'anthropic'] as const)('an answer of a model of %s', (kind) => {
  it('has its text, the citations in its order and the state of the index, and can be followed', async () => {
    const { answer, pieces, service } = await askModel(
      (turn) => ({
        text: [
          'It gives up af',
          'ter five attempts ',
          sourceWith(turn, /Parcels arrive twice/u),
          ',\nin `retry.ts` [1]',
          '.\n\nSee both.',
        ],
      }),
      { kind, prompt: 'Why was retryWithBackoff changed to five attempts?' },
    );
    expect(answer.answer).toMatch(/^It gives up after five attempts \[1\],\nin `retry\.ts` \[2\]\./u);
    expect(answer).toMatchObject({ model: service.model, truncated: expect.any(Boolean) });
    expect(answer.notice).toBeUndefined();
    expect(answer.citations.map(({ n }) => n)).toEqual(answer.citations.map((_, index) => index + 1));
    expect(answer.citations[0]?.excerpt).toContain('Parcels arrive twice');
    expect(pieces.join('')).toBe(answer.answer);
    expect(pieces.length).toBeGreaterThan(2);
  });

  it('may cite what its calls returned', async () => {
    const steps = [
      calls({ name: 'search_code', arguments: { query: '"the harbour is closed"' } }),
      calls(
        { name: 'read_file', arguments: { repository: ferry, path: 'src/main.ts' } },
        { name: 'search_code', arguments: { query: 'sym:checkDelivery' } },
      ),
      calls({ name: 'search_entities', arguments: { query: 'deliverParcel' } }),
      calls({ name: 'find_related', arguments: { entity: 'ENG-12' } }),
    ];
    const { answer, service } = await askModel(
      (turn) =>
        steps.shift() ?? {
          text: `Thrown here ${sourceWith(turn, /throw new Error/u)}, started there ${sourceWith(turn, /startFerry\(\)/u)}, checked ${sourceWith(turn, /checkDelivery/u)}.`,
        },
      { kind, prompt: 'Explain the install of Ferry' },
    );
    const last = service.turns.at(-1)?.texts.join('\n') ?? '';
    expect(service.turns).toHaveLength(5);
    expect(last).toMatch(/\[\d+\] \S+\/src\/main\.ts:1-5 of 5 lines\n1 {2}import/u);
    expect(last).toMatch(/src\/deliver\.test\.ts:\d/u);
    expect(last).toMatch(/\[\d+\] \S+: symbol function deliverParcel/u);
    expect(last).toMatch(/closes|mentions|ENG-12/u);
    expect(answer.answer).toMatch(/^Thrown here \[1\], started there \[2\], checked \[3\]\./u);
    expect(answer.citations.slice(0, 2).map(({ path }) => path)).toEqual(['src/deliver.ts', 'src/main.ts']);
    for (const { uri, url } of answer.citations)
      expect(`${uri} ${url}`).toMatch(/^(?:ctx:|https:\/\/ctx\.example)/u);
  });
});

describe('the requests to the model', () => {
  it('hold third-party text only between marks that nobody can know', async () => {
    const { service } = await askModel(() => ({ text: 'In the file [1].' }));
    const again = await askModel(() => ({ text: 'In the file [1].' }));
    const [turn] = service.turns;
    const word = /<data-([0-9a-f]{16})>/u.exec(turn?.instructions ?? '')?.[1] ?? '';
    const text = turn?.texts.join('') ?? '';
    const outside = text.replaceAll(new RegExp(`<data-${word}>.*?</data-${word}>`, 'gsu'), '');
    expect(text).toContain('export function retryWithBackoff');
    expect(outside).not.toMatch(/export function|Tries again|src\/retry/u);
    expect(outside).toContain(prompt);
    expect(again.service.turns[0]?.instructions).not.toContain(word);
  });

  it('run at most eight calls, then offer none', async () => {
    const search = { name: 'search_code', arguments: { query: 'harbour' } };
    const { answer, service } = await askModel(({ tools }) =>
      tools.length > 0 ? calls(search, search, search) : { text: 'Enough [1].' },
    );
    expect(answer.answer).toMatch(/^Enough \[1\]\./u);
    expect(service.turns.map(({ results }) => results.length)).toEqual([0, 3, 6, 9]);
    expect(
      service.turns
        .at(-1)
        ?.texts.join('')
        .match(/Not run/gu),
    ).toHaveLength(1);
  });

  it('offer no calls when the tokens are nearly used up, and end when they are', async () => {
    const search = calls({ name: 'search_code', arguments: { query: 'harbour' } });
    const script: Script = ({ tools }) => (tools.length > 0 ? search : { text: 'Enough [1].' });
    const few = await askModel(script, { limits: { inputTokens: 12_000 } });
    expect(few.service.turns.length).toBeGreaterThan(1);
    expect(few.service.turns.at(-1)?.tools).toEqual([]);
    expect(few.answer.model).toBe(few.service.model);
    const none = await askModel(script, { limits: { inputTokens: 100 } });
    expect(none.service.turns).toEqual([]);
    expect(none.answer.notice?.code).toBe('model_answer_invalid');
  });

  it('say what is wrong with a call, so that the model can correct it', async () => {
    const { service, answer } = await askModel(({ results }) =>
      results.length > 0
        ? { text: 'So be it [1].' }
        : calls(
            { name: 'read_file', arguments: { repository: ferry, path: 'src/none.ts' } },
            { name: 'read_file', arguments: { places: 7 } },
            { name: 'find_related', arguments: { entity: 'ENG-999' } },
          ),
    );
    expect(answer.model).toBeDefined();
    expect(service.turns[1]?.texts.slice(-3)).toEqual([
      expect.stringMatching(/^<data-\w+>\nError: .*is not in/u),
      expect.stringMatching(/^<data-\w+>\nError: Wrong arguments for read_file\. /u),
      expect.stringMatching(/^<data-\w+>\nError: /u),
    ]);
  });

  it('reach nothing of another organization', async () => {
    const { database } = advisor.projecting;
    const other = await seedOrganization(database, 'stranger');
    await seedRepository(database, other, { name: 'own', indexedCommit: 'a'.repeat(40) });
    const wanted = calls(
      { name: 'search_code', arguments: { query: 'deliverParcel' } },
      { name: 'search_code', arguments: { query: `repo:${ferry} deliverParcel` } },
      { name: 'read_file', arguments: { repository: ferry, path: 'src/main.ts' } },
      { name: 'search_code', arguments: { query: 'sym:deliverParcel' } },
      { name: 'search_entities', arguments: { query: 'Parcels' } },
      { name: 'find_related', arguments: { entity: 'ENG-12' } },
    );
    const { service, answer } = await askModel(
      ({ results }) => (results.length === 0 ? wanted : { text: 'Here [1].' }),
      { of: other, prompt: 'Where is the parcel?' },
    );
    expect(service.turns).toHaveLength(2);
    expect(service.turns[1]?.results).toHaveLength(6);
    expect(service.turns[1]?.texts.slice(1).join()).not.toMatch(/startFerry|arrive twice|harbour|symbol:/u);
    expect(answer.citations).toEqual([]);
    expect(answer.notice?.code).toBe('model_answer_invalid');
  });
});

describe('an answer without use', () => {
  const codes: Readonly<Record<Failure, string>> = {
    hang: 'model_timed_out',
    stall: 'model_timed_out',
    garbage: 'model_answer_invalid',
    page: 'model_answer_invalid',
    'rate-limit': 'model_rate_limited',
    failure: 'model_unavailable',
    'error-event': 'model_unavailable',
    break: 'model_unavailable',
    'no-end': 'model_answer_invalid',
    empty: 'model_answer_invalid',
    endless: 'model_answer_invalid',
    huge: 'model_answer_invalid',
  };

  it.each(Object.entries(codes))(
    '(%s) leads to the extracted answer and the notice %s',
    async (failure, code) => {
      const stallMs = failure === 'hang' || failure === 'stall' ? 300 : 20_000;
      const { answer, lines, pieces, service } = await askModel(() => failure as Failure, { stallMs });
      const { notice, ...rest } = answer;
      expect(rest).toEqual(await extracted());
      expect(notice).toEqual({
        code,
        message: expect.stringMatching(/^The .+\. This answer was made without it\. .+\.$/u),
      });
      expect(pieces.join('')).toContain(answer.answer);
      expect(lines).toMatchObject([{ level: 40, code, model: service.model }]);
      expect(JSON.stringify(lines)).not.toMatch(/model-key|retryWithBackoff|data-/u);
    },
  );

  it.each<[string, Script, string]>([
    [
      'calls a tool that does not exist',
      () => calls({ name: 'delete_all', arguments: {} }),
      'model_answer_invalid',
    ],
    ['cites nothing', () => ({ text: 'It just does.' }), 'model_answer_invalid'],
    [
      'cites only what was never issued',
      () => ({ text: 'It does [77], [0] and [1234].' }),
      'model_answer_invalid',
    ],
    [
      'never stops calling',
      () => calls({ name: 'search_code', arguments: { query: 'harbour' } }),
      'model_answer_invalid',
    ],
    [
      'calls too much at once',
      () =>
        calls(...Array.from({ length: 40 }, () => ({ name: 'search_code', arguments: { query: 'sym:x' } }))),
      'model_answer_invalid',
    ],
  ])('that %s leads to the extracted answer with a notice', async (_what, script, code) => {
    const { answer } = await askModel(script);
    const { notice, ...rest } = answer;
    expect(rest).toEqual(await extracted());
    expect(notice?.code).toBe(code);
  });

  it('that a defect outside the model ended leads to the extracted answer', async () => {
    const search = { name: 'search_code', arguments: { query: 'harbour' } };
    const model = await openModelForTest(() => calls(search));
    const { model: opened, ...rest } = model.with(advisor.deps);
    const tools = opened!.tools.map((tool) => ({
      ...tool,
      run: () => Promise.reject(new TypeError('a defect')),
    }));
    const answer = await ask({ ...rest, model: { ...opened!, tools } }, scope, { prompt }, asking);
    const { notice, ...answered } = answer;
    expect(answered).toEqual(await extracted());
    expect(notice?.code).toBe('model_unavailable');
    expect(model.lines).toMatchObject([{ code: 'model_unavailable', err: { message: 'a defect' } }]);
  });

  it('is not one that goes on after a defect of a tool, which is logged', async () => {
    const search = { name: 'search_code', arguments: { query: 'harbour' } };
    const model = await openModelForTest(({ results }) =>
      results.length === 0 ? calls(search) : { text: 'As shown [1].' },
    );
    const codeSearch: CodeSearch = {
      ...advisor.deps.codeSearch,
      search: () => Promise.reject(new TypeError('a defect')),
    };
    const deps = model.with({ ...advisor.deps, codeSearch });
    const { answer } = await ask(deps, scope, { prompt }, asking);
    expect(answer).toMatch(/^As shown \[1\]\./u);
    expect(model.service.turns[1]?.texts.at(-1)).toMatch(/Error: search_code failed unexpectedly\./u);
    expect(model.lines).toMatchObject([{ err: { message: 'a defect' }, tool: 'search_code' }]);
  });

  it('that does not end in time leads to the extracted answer', async () => {
    const { answer, service } = await askModel(() => 'stall', {
      limits: { timeoutMs: 500 },
      stallMs: 60_000,
    });
    expect(answer.notice?.code).toBe('model_timed_out');
    await service.untilLeft();
  });
});

it('keeps the key out of the log when the provider repeats it', async () => {
  const { answer, lines, service } = await askModel(() => ({}), { key: 'mistyped-key' });
  expect(service.requests).toEqual(['POST /openai/v1/chat/completions 401']);
  expect(answer.notice?.code).toBe('model_refused');
  expect(JSON.stringify([lines, answer])).not.toContain('mistyped-key');
});

it('ends the request to the model when the caller leaves', async () => {
  const model = await openModelForTest(() => 'hang');
  const caller = new AbortController();
  const answer = ask(model.with(advisor.deps), scope, { prompt }, { ...asking, signal: caller.signal });
  const check = expect(answer).rejects.toThrow('left');
  await expect.poll(() => model.service.turns.length).toBe(1);
  caller.abort(new Error('left'));
  await check;
  await model.service.untilLeft();
  expect(model.lines).toEqual([]);
});

it('asks no model while nothing is indexed', async () => {
  const empty = await seedOrganization(advisor.projecting.database, 'bare');
  const { answer, service } = await askModel(() => ({ text: 'x [1]' }), { of: empty });
  expect(answer.answer).toContain('`orgctx repo add <source>`');
  expect([service.turns, answer.model, answer.notice]).toEqual([[], undefined, undefined]);
});

it('drops an announcement before a call, and keeps one text over several turns', async () => {
  const search = { name: 'search_code', arguments: { query: 'harbour' } };
  const { answer, pieces } = await askModel(({ results }) => {
    if (results.length === 0) return { text: 'Let me look.', calls: [search] };
    if (results.length === 1) return { text: 'First [1].', calls: [search] };
    return { text: 'Then more.' };
  });
  expect(answer.answer).toMatch(/^First \[1\]\.\n\nThen more\.(?:\n\n|$)/u);
  expect(pieces.join('')).toBe(answer.answer);
});
