import { describe, expect, it } from 'vitest';
import { openFerry } from '../../../../../test/support/advisor/example-organization.ts';
import { asking } from '../../../../../test/support/advisor/opened-advisor.ts';
import { ask } from '../../ask.ts';
import { amountsIn, asksForAmount } from './amounts.ts';

const lines = `function pause(attempt, options) {
  const threshold = options.threshold ?? 1024;
  // at most 30 seconds
  log('level', 2);
  if (attempt > 7) return quota(attempt);
  const first = list[0];
  return Math.min(maxPause, options.pauseLimit) + jitter(maxJitter(3));
}`.split('\n');
const read = (...terms: readonly string[]) => amountsIn({ lines, from: 1, to: lines.length }, terms);

describe('amountsIn', () => {
  it('returns statements with a number that has to do with a limit or the question, in their order', () => {
    expect(read('attempt').lines).toEqual([
      { line: 2, text: 'const threshold = options.threshold ?? 1024;' },
      { line: 5, text: 'if (attempt > 7) return quota(attempt);' },
    ]);
  });

  it('returns the names of limits that are read, those of the question first', () => {
    expect(read('limit').names).toEqual(['pauseLimit', 'maxPause']);
  });

  it('takes no longer than a linear search of a hostile body', () => {
    const many = Array.from({ length: 100_000 }, () => `${'max_'.repeat(90)}= 2 `);
    const started = performance.now();
    amountsIn({ lines: many, from: 1, to: many.length }, ['limit']);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

it.each(['How small must it be?', 'up to what size', 'How many times?', 'after which interval'])(
  'knows a question for an amount: %s',
  (question) => {
    expect(asksForAmount.test(question)).toBe(true);
    expect(asksForAmount.test('How does it work?')).toBe(false);
  },
);

it('says which number a name that the definition reads is given, if an amount is asked for', async () => {
  const advisor = await openFerry();
  const { scope } = advisor.projecting;
  const askFor = (prompt: string) => ask(advisor.deps, scope, { prompt }, asking);
  const { answer, citations } = await askFor(
    'How deep may a ship be at night before checkDraught refuses it?',
  );
  expect(answer).toMatch(
    /`draughtLimit` is set at `\S+src\/limits\.ts:1` \[2\]: `export const draughtLimit = 40;`\./,
  );
  expect(citations[1]).toMatchObject({ path: 'src/limits.ts', startLine: 1 });
  expect((await askFor('How does checkDraught refuse a ship?')).answer).not.toContain('is set at');
  await advisor.close();
});
