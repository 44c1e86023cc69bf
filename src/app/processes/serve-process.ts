import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { Unavailable } from '../../foundation/kernel/errors.ts';
import { childFlags, processEnvironment, serveFlags } from './process-flags.ts';
import type { FromServe } from './process-life.ts';

export interface ServeProcess {
  readonly listening: FromServe;
  readonly logFile: string;
  /** Settles when the process has ended for any reason. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts `serve` as a child process that logs to DATA_DIR/logs, and waits until it listens. */
export async function startServeProcess(
  program: string,
  args: readonly string[],
  dataDir: string,
): Promise<ServeProcess> {
  const folder = dataFolder(dataDir).logs;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const logFile = join(folder, 'serve.log');
  const log = openSync(logFile, 'a', 0o600);
  const { size } = fstatSync(log);
  // A separate process group: Ctrl-C at the terminal reaches only the parent, which then stops serve gracefully.
  const child = fork(program, ['serve', ...args], {
    stdio: ['ignore', log, log, 'ipc'],
    execArgv: childFlags(serveFlags),
    env: processEnvironment(),
    detached: true,
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended]);
  if (child.exitCode !== null || child.signalCode !== null) throw didNotStart(logFile, size);
  return {
    listening: first[0] as FromServe,
    logFile,
    ended,
    async stop() {
      if (isAlive(child)) child.kill('SIGTERM');
      await ended;
    },
  };
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Creates the error of a server that ended although nobody stopped it. */
export function endedUnexpectedly(logFile: string): Unavailable {
  return new Unavailable('serve_ended', `orgctx serve ended unexpectedly. See its log: ${logFile}.`);
}

/** Creates the error with the last log lines of this run; earlier runs end at byte offset `from`. */
function didNotStart(logFile: string, from: number): Unavailable {
  const written = readFileSync(logFile).subarray(from).toString();
  const last = written.trimEnd().split('\n').slice(-3).join('\n');
  return new Unavailable(
    'serve_failed',
    `orgctx serve did not start. The last lines of ${logFile}:\n${last}`,
  );
}
