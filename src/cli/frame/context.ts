import type { Environment } from '../../foundation/config/read-environment.ts';
import type { Terminal } from './terminal.ts';

/** The context of every command, in addition to its arguments and flags. */
export interface CommandContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C, SIGTERM and a closed stdout: the command must throw the reason or finish gracefully. */
  readonly signal: AbortSignal;
}
