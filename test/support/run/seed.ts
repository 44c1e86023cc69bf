import { randomInt } from 'node:crypto';
import { isLongRun } from './long-run.ts';

/** The seed of `npm test`, so that a run fails only because of a change. */
const fixedSeed = 7;
let newSeed: number | undefined;
let used = false;

/**
 * Returns the seed of random tests: always the same in `npm test`, a new one in each `npm run test:long`, or that of
 * ORGCTX_TEST_SEED. A test creates its own generator from it, so that it repeats without the others.
 */
export function testSeed(): number {
  used = true;
  return presentSeed();
}

/** Returns the seed without a record of its use, for the configuration of fast-check. */
export function presentSeed(): number {
  const given = process.env['ORGCTX_TEST_SEED'];
  if (given !== undefined) return Number(given);
  return isLongRun() ? (newSeed ??= randomInt(2 ** 31)) : fixedSeed;
}

/** Returns whether `testSeed` was called since the last call of this function. */
export function takeSeedUse(): boolean {
  const wasUsed = used;
  used = false;
  return wasUsed;
}
