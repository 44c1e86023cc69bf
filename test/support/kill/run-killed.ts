import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from '../program/compile-cache.ts';
import { isLongRun } from '../run/long-run.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface KilledRun {
  /** False when the program finished with fewer than n writes. */
  readonly killed: boolean;
  /** Exit code of a program that finished. */
  readonly code: number | null;
  /** Labels of its writes; after a kill the last one is the write that did not happen. */
  readonly writes: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

interface KilledRunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Name of the preloaded file beside this one that counts and kills. Default: `kill-at-write.ts`. */
  readonly preload?: string;
}

/** Runs a Node program (file and arguments) and kills it right before its n-th write (`kill-at-write.ts`; 0: never). */
export async function runKilledAt(
  n: number,
  program: readonly string[],
  { env = {}, cwd, preload: counter = 'kill-at-write.ts' }: KilledRunOptions = {},
): Promise<KilledRun> {
  const report = join(temporaryFolder(), 'writes.json');
  const preload = join(import.meta.dirname, counter);
  const child = spawn(process.execPath, ['--import', preload, ...program], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NO_COLOR: '1',
      ...env,
      KILL_AT_WRITE: `${n}:${report}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  const written = await readFile(report, 'utf8').catch(() => undefined);
  if (written === undefined) throw new Error(`the program wrote no report:\n${stderr}`);
  const writes = JSON.parse(written) as string[];
  return { killed: signal === 'SIGKILL', code, writes, stdout, stderr };
}

/** Number of kill points that `npm test` samples; `npm run test:long` takes every one. */
const sampledPoints = 6;

interface KillPoints {
  /** Default: every write in `npm run test:long`, otherwise a sample with the first and the last one. */
  readonly every?: boolean;
}

/**
 * Runs a program once to its end, then killed before its first write, before its second and so on. `prepare` returns
 * the program for each run, usually with a fresh state; `check` checks the state after each run, including the one that
 * was not killed. Returns the number of writes. A program that is not killed must exit with code 0.
 */
export async function killAtEachWrite<State>(
  prepare: () => Promise<{ readonly state: State; readonly program: readonly string[] } & KilledRunOptions>,
  check: (state: State, run: KilledRun) => Promise<void>,
  { every = isLongRun() }: KillPoints = {},
): Promise<number> {
  // A compile cache, because starting the process is most of the cost of a run.
  const compiled = { NODE_COMPILE_CACHE: temporaryFolder(), ...compileCache() };
  const runAt = async (n: number): Promise<KilledRun> => {
    const { state, program, env, cwd } = await prepare();
    const run = await runKilledAt(n, program, { env: { ...compiled, ...env }, ...(cwd && { cwd }) });
    if (!run.killed && run.code !== 0) throw new Error(`the program failed:\n${run.stderr}\n${run.stdout}`);
    try {
      await check(state, run);
    } catch (cause) {
      throw new Error(`after a kill before write ${n}: ${run.writes.at(-1)}`, { cause });
    }
    return run;
  };
  const { writes } = await runAt(0);
  const step = every ? 1 : Math.max(1, Math.ceil((writes.length - 1) / (sampledPoints - 1)));
  for (let n = 1; (await runAt(n)).killed; n += step);
  // The sample may have missed the last write.
  if (step > 1) await runAt(writes.length);
  return writes.length;
}
