import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface MeasuredRun {
  readonly output: string;
  /** Seconds of the processor, of the program and of all that it started and waited for. */
  readonly cpu: number;
  readonly seconds: number;
}

/** Runs a program to its end. @throws when it fails */
export function runMeasured(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): MeasuredRun {
  // Of `time`, a word of the shell, since it counts children of children; its numbers end standard error.
  const script = 'TIMEFORMAT="%U %S %R"; time "$@"';
  const run = spawnSync('bash', ['-c', script, 'bash', command, ...args], {
    encoding: 'utf8',
    env: { ...env, LC_ALL: 'C' },
    maxBuffer: 2 ** 30,
  });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(`${command} failed: ${run.stderr.slice(-2000)}`);
  const [user = 0, system = 0, seconds = 0] = run.stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { output: run.stdout, cpu: user + system, seconds };
}

export function bytesOnDisk(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
    0,
  );
}
