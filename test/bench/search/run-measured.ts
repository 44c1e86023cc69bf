import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type PeakMemory, watchMemory } from './watch-memory.ts';

export interface MeasuredRun {
  readonly output: string;
  /** CPU seconds of the program and of all processes that it started and waited for. */
  readonly cpu: number;
  readonly seconds: number;
  /** Undefined if there is no /proc. */
  readonly peak: PeakMemory | undefined;
}

/** Runs a program to its end. @throws when it fails */
export async function runMeasured(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<MeasuredRun> {
  // The shell keyword `time` also counts children of children; its figures are the last line of standard error.
  const script = 'TIMEFORMAT="%U %S %R"; time "$@"';
  const shell = spawn('bash', ['-c', script, 'bash', command, ...args], {
    env: { ...env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const memory = watchMemory(shell.pid);
  try {
    const [output, stderr, [status]] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close') as Promise<[number | null]>,
    ]);
    if (status !== 0) throw new Error(`${command} failed: ${stderr.slice(-2000)}`);
    const [user = 0, system = 0, seconds = 0] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
    return { output, cpu: user + system, seconds, peak: memory.peak() };
  } finally {
    memory.stop();
  }
}

export function bytesOnDisk(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
    0,
  );
}
