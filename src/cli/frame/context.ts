import type { Environment } from '../../foundation/config/read-environment.ts';
import type { Terminal } from './terminal.ts';

/** What every command is given beside its flags. */
export interface CommandContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C, SIGTERM and a closed stdout: stop, and let the reason be thrown or finish in order. */
  readonly signal: AbortSignal;
}
