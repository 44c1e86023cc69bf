import { spawn } from 'node:child_process';
import { once } from 'node:events';

interface GroupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Time that a group has to end after a signal, in milliseconds. */
const endMs = 5_000;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command in a separate process group, with its output on the terminal: workers of the test runner used to
 * outlive an interrupted run. A signal to this process ends the whole
 * group, and no process of the group outlives the command. Returns the exit code; null when a signal ended the command.
 */
export async function runInGroup(
  [file, ...args]: readonly [string, ...string[]],
  options: GroupOptions,
): Promise<number | null> {
  let pid: number | undefined;
  const end = (signal: NodeJS.Signals): void => {
    killGroup(pid, signal);
    setTimeout(() => killGroup(pid, 'SIGKILL'), endMs).unref();
  };
  // Before the command starts, so that no signal arrives without a handler.
  for (const signal of signals) process.on(signal, end);
  try {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    ({ pid } = child);
    await once(child, 'exit');
    return child.exitCode;
  } finally {
    killGroup(pid, 'SIGKILL');
    for (const signal of signals) process.off(signal, end);
  }
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
