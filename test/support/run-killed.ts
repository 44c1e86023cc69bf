import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from './temporary-folder.ts';

export interface KilledRun {
  /** False when the program came to its end, with fewer writes than asked for. */
  readonly killed: boolean;
  /** Of a program that came to its end. */
  readonly code: number | null;
  /** Labels of its writes; after a kill the last one is the write that did not happen any more. */
  readonly writes: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

interface KilledRunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What counts and kills, a file beside this one; default: `kill-at-write.ts`. */
  readonly preload?: string;
}

/** Runs a program of Node (file and arguments), killed right before its n-th write (`kill-at-write.ts`); 0 kills never. */
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
  if (written === undefined) throw new Error(`the program did not start to count:\n${stderr}`);
  const writes = JSON.parse(written) as string[];
  return { killed: signal === 'SIGKILL', code, writes, stdout, stderr };
}

/**
 * Runs a program killed before its first write, before its second and so on, until it comes to its end, which must be
 * with exit code 0. `prepare` gives the program for each run, usually on a state of its own; `check` judges each death
 * (and the last run, which nothing ended). Gives the number of writes.
 */
export async function killAtEachWrite<State>(
  prepare: () => Promise<{ readonly state: State; readonly program: readonly string[] } & KilledRunOptions>,
  check: (state: State, run: KilledRun) => Promise<void>,
): Promise<number> {
  // Starting up is most of what a run costs.
  const compiled = { NODE_COMPILE_CACHE: temporaryFolder() };
  for (let n = 1; ; n += 1) {
    const { state, program, env, cwd } = await prepare();
    const run = await runKilledAt(n, program, { env: { ...compiled, ...env }, ...(cwd && { cwd }) });
    if (!run.killed && run.code !== 0) throw new Error(`the program failed:\n${run.stderr}\n${run.stdout}`);
    try {
      await check(state, run);
    } catch (cause) {
      throw new Error(`after a kill before write ${n}: ${run.writes.at(-1)}`, { cause });
    }
    if (!run.killed) return run.writes.length;
  }
}
