import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFerry } from '../../../../test/support/advisor/example-organization.ts';
import type { OpenedAdvisor } from '../../../../test/support/advisor/opened-advisor.ts';
import { countLoopTurns, stepClock } from '../../../../test/support/loop-turns.ts';
import { noPassages, type RankedPassage } from '../../../backends/codesearch/port.ts';
import { openVisibleGraph } from '../../knowledge/queries/visible-graph.ts';
import { listSearchableRepositories } from '../../repositories/repository-store.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { readQuestion } from '../question/read-question.ts';
import { existsAnswer, missingWords } from './absent.ts';
import { messageAnswer } from './message.ts';
import { traceAnswer } from './trace.ts';

let ferry: OpenedAdvisor;

beforeAll(async () => {
  ferry = await openFerry();
});
afterAll(async () => ferry.close());

async function inquire(prompt: string): Promise<Inquiry> {
  const { deps, projecting } = ferry;
  const { scope } = projecting;
  const repositories = await listSearchableRepositories(deps.queries, scope);
  const none = { issues: [], incidents: [], commits: [], pulls: [], files: [], symbols: [], unknown: [] };
  const lists = { files: [], unmatched: [], named: [], isCertain: false, pending: [], asked: prompt };
  const passages = noPassages;
  const ranked = { ...lists, passages, repositories, searched: repositories, partial: false, damaged: false };
  const view = await openVisibleGraph(deps.knowledge, scope);
  const { signal } = new AbortController();
  return { deps, scope, question: readQuestion(prompt), ranked, view, named: none, signal };
}

function firstLine(finding: Finding | undefined): string {
  return (finding?.lines[0] ?? []).map((part) => (typeof part === 'string' ? part : '')).join('');
}

test('finds the statement that reports a quoted message', async () => {
  const finding = await messageAnswer(await inquire('I get "the harbour is closed" when I deliver. Why?'));
  expect(firstLine(finding)).toContain("src/deliver.ts:6`: `throw new Error('the harbour is closed');`");
  expect(finding?.lines[0]?.at(-1)).toMatchObject({
    excerpt: expect.stringContaining('function deliverParcel'),
  });
});

test('says which fragments of a reported message no code has', async () => {
  const finding = await messageAnswer(await inquire('I get "the anchor is stuck in mud" when I start.'));
  expect(finding).toMatchObject({ isNotFound: true });
  expect(firstLine(finding)).toContain('the anchor is stuck in mud');
});

test('finds the function that a frame names when its line moved', async () => {
  const trace = 'Error: the harbour is closed\n    at deliverParcel (/srv/app/src/deliver.ts:90:3)';
  const finding = await traceAnswer(await inquire(trace));
  expect(firstLine(finding)).toMatch(/src\/deliver\.ts:\d+` \(line 90 in the trace\)/u);
});

async function existsFor(prompt: string): Promise<Finding | undefined> {
  const inquiry = await inquire(prompt);
  return existsAnswer(inquiry, await missingWords(inquiry));
}

test('says that something does not exist only if no file has it', async () => {
  const absent = await existsFor('Is there support for zeppelins?');
  expect(firstLine(absent)).toContain('Not found: no indexed file has `zeppelins`');
  expect(await existsFor('Is there support for parcels?')).toBeUndefined();
});

test('looks for a word in any form, also inside of names', async () => {
  // The code has `parcel` and `deliverParcel`.
  expect(await existsFor('Is there support for parceling?')).toBeUndefined();
  expect(firstLine(await existsFor('Is there support for xylophones?'))).toContain(
    'no indexed file has `xylophones`',
  );
});

test('lets other requests go on while it reads the words of long passages', async () => {
  const inquiry = await inquire('Is it?');
  const text = "  const someLocalName = computeThing(anotherValue, 'text of words');".padEnd(80);
  const lines = Array.from({ length: 300 }, (_, at) => ({ line: at + 1, text }));
  const passage = { path: 'a.ts', lines } as unknown as RankedPassage;
  const best = Array.from({ length: 100 }, () => passage);
  const ranked = { ...inquiry.ranked, passages: { ...inquiry.ranked.passages, best } };
  stepClock();
  const turns = countLoopTurns();
  await missingWords({ ...inquiry, ranked });
  const { count } = turns;
  turns.stop();
  expect(count).toBeGreaterThan(3);
});

test('names only words that no file has, of those that the passages lack', async () => {
  const missing = await missingWords(await inquire('Are parcels carried by zeppelins?'));
  expect(missing).toEqual(['zeppelins']);
});
