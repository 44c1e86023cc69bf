import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { ask } from '../../src/features/advisor/ask.ts';
import { Unavailable } from '../../src/foundation/kernel/errors.ts';
import { newId } from '../../src/foundation/kernel/ids.ts';
import { asking, openAdvisor } from '../support/advisor/opened-advisor.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { percentile } from './statistics.ts';

/**
 * `node test/bench/ask.ts [FOLDER]`: the time of a question to the advisor, for 1 and 16 at once, about a Git
 * repository (default: this one), with its history and knowledge graph.
 */
const rounds = 4;
const prompts = [
  'How does the queue retry a failed job?',
  'What calls verifyAccessToken?',
  'What happens when a webhook arrives twice?',
  'Why was the segment of the index changed?',
  'Who owns the outgoing requests?',
  'How are connection secrets encrypted and rotated?',
  'What would a change of the lease touch?',
  'How does a fetch follow a force push?',
];

const copy = join(temporaryFolder(), 'repository');
execFileSync('git', ['clone', '--quiet', '--shared', resolve(process.argv[2] ?? '.'), copy]);
const { deps, projecting, close } = await openAdvisor();
await projecting.add(copy);

for (const atOnce of [1, 16]) {
  const times: (number | undefined)[] = [];
  for (let round = 0; round <= rounds * prompts.length; round += atOnce) {
    const taken = await Promise.all(Array.from({ length: atOnce }, (_, index) => timeOf(round + index)));
    // The first round warms up.
    if (round > 0) times.push(...taken);
  }
  const taken = times.filter((time) => time !== undefined);
  const [p50, p95] = [percentile(taken, 0.5), percentile(taken, 0.95)];
  console.log(
    `${String(atOnce).padStart(2)} at once: p50 ${p50.toFixed(0).padStart(5)} ms, p95 ${p95.toFixed(0).padStart(5)} ms, refused ${times.length - taken.length}`,
  );
}
await close();

/** Returns the milliseconds of a question; `undefined` if the search was overloaded and refused it. */
async function timeOf(question: number): Promise<number | undefined> {
  const prompt = prompts[question % prompts.length] ?? '';
  const started = performance.now();
  try {
    await ask(deps, projecting.scope, { prompt }, { ...asking, userId: newId() });
    return performance.now() - started;
  } catch (error) {
    if (error instanceof Unavailable && error.code === 'overloaded') return undefined;
    throw error;
  }
}
