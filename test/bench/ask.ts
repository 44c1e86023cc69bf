import { execFileSync } from 'node:child_process';
import { basename, dirname, join, resolve } from 'node:path';
import { ask } from '../../src/features/advisor/ask.ts';
import { OrgctxError } from '../../src/foundation/kernel/errors.ts';
import { newId, type UserId } from '../../src/foundation/kernel/ids.ts';
import { asking, openAdvisor } from '../support/advisor/opened-advisor.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { percentile } from './statistics.ts';

/**
 * `node test/bench/ask.ts [FOLDER…]`: the time of a question to the advisor, for 16 at once and one at a time, about
 * Git repositories, bare or not (default: this one), with their histories and knowledge graph. Eight users ask in a
 * process that answered nothing before, each burst twice. Prints the failed questions by code, those with a partial
 * ranking, the median and the 95th percentile, and the processor time of a question. Fails if a question did.
 */
const atOnce = 16;
const rounds = 3;
const users = Array.from({ length: 8 }, () => newId<UserId>());
const prompts = [
  'How does the queue retry a failed job?',
  'What calls verifyAccessToken?',
  'What happens when a webhook arrives twice?',
  'Why was the segment of the index changed?',
  'Who owns the outgoing requests?',
  'How are connection secrets encrypted and rotated?',
  'What would a change of the lease touch?',
  'How does a fetch follow a force push?',
  'Where is the timeout of a request set?',
  'How are retries with back-off done?',
  'Which code parses the configuration file?',
  'Why was the connection pool changed?',
];

const folders = process.argv.length > 2 ? process.argv.slice(2) : ['.'];
const copies = temporaryFolder();
const { deps, projecting, compact, close } = await openAdvisor();
for (const [index, folder] of folders.entries()) {
  const copy = join(copies, `${index}-${nameOf(resolve(folder))}`);
  execFileSync('git', ['clone', '--quiet', '--shared', '--bare', resolve(folder), copy]);
  await projecting.add(copy);
  console.log(`${index + 1}/${folders.length} ${nameOf(resolve(folder))}`);
}
await compact();

let asked = 0;
let failures = 0;
await measure('16 at once, first burst', atOnce);
await measure('16 at once, second burst', atOnce);
await measure('1 at a time', 1);
await close();
process.exitCode = failures === 0 ? 0 : 1;

/** Returns the name of the folder, or that of its parent for one that is named `repo`. */
function nameOf(folder: string): string {
  return basename(folder) === 'repo' ? basename(dirname(folder)) : basename(folder);
}

/** Several callers ask at once, each one question after the other. */
async function measure(title: string, callers: number): Promise<void> {
  const processor = process.cpuUsage();
  const perCaller = callers === 1 ? prompts.length : rounds;
  const all = await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const outcomes: Outcome[] = [];
      for (let round = 0; round < perCaller; round += 1) outcomes.push(await timeOf(caller));
      return outcomes;
    }),
  );
  const outcomes = all.flat();
  const failed = outcomes.flatMap(({ code }) => code ?? []);
  failures += failed.length;
  const times = outcomes.map(({ milliseconds }) => milliseconds);
  const { user, system } = process.cpuUsage(processor);
  const partial = outcomes.filter(({ isPartial }) => isPartial).length;
  console.log(
    `${title}: failed ${failed.length} of ${outcomes.length}${failed.length === 0 ? '' : ` (${[...new Set(failed)].join(', ')})`}, ` +
      `partial ${partial}, p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms, ` +
      `processor ${((user + system) / 1000 / outcomes.length).toFixed(0)} ms per question`,
  );
}

interface Outcome {
  readonly milliseconds: number;
  readonly isPartial: boolean;
  /** The code of the error of a failed question. */
  readonly code?: string;
}

async function timeOf(caller: number): Promise<Outcome> {
  const prompt = prompts[asked++ % prompts.length] ?? '';
  const started = performance.now();
  const elapsed = (): number => performance.now() - started;
  try {
    const options = { ...asking, userId: users[caller % users.length] ?? asking.userId };
    const { answer } = await ask(deps, projecting.scope, { prompt }, options);
    return { milliseconds: elapsed(), isPartial: answer.includes('was cut short') };
  } catch (error) {
    if (!(error instanceof OrgctxError)) throw error;
    return { milliseconds: elapsed(), isPartial: false, code: error.code };
  }
}
