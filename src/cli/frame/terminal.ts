import type { Readable } from 'node:stream';
import type { Environment } from '../../foundation/config/read-environment.ts';
import { type Channel, isTerminal, type Output, openChannel } from './channel.ts';
import type { CommonFlags } from './common-flags.ts';
import { noProgress, openProgress, type Progress } from './progress.ts';
import { withTypedProgram } from './typed-program.ts';

type Input = Readable & { readonly isTTY?: boolean };

export interface Streams {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The standard streams of the program: stdout for results, stderr for everything else (contract section 1). */
export interface Terminal {
  readonly stdin: Input;
  /**
   * For results. The frame writes what `run` returns; only commands that return `undefined` write here themselves.
   */
  readonly out: Channel;
  /** For everything else. */
  readonly err: Channel;
  readonly json: boolean;
  readonly verbose: boolean;
  /** True if prompts are possible: stdin and stderr are terminals, without `--no-input` and `--json`. */
  readonly interactive: boolean;
  /** True if the caller expects no prompt: with `--no-input` or `--json`. */
  readonly unattended: boolean;
  /** The stream behind `err`, for prompts. */
  readonly stderr: Output;
  /** Writes a line to stderr; the commands that it quotes can be typed here. */
  note(line: string): void;
  /** Opens the progress output on stderr: a bar on a terminal, one line per phase otherwise; none with `--json`. */
  progress(): Progress;
}

export function openTerminal(streams: Streams, env: Environment, flags: CommonFlags): Terminal {
  const err = openChannel(streams.stderr, env, flags);
  return {
    stdin: streams.stdin,
    out: openChannel(streams.stdout, env, flags),
    err,
    json: flags.json,
    verbose: flags.verbose,
    interactive: isTerminal(streams.stdin) && err.isTerminal && !flags.noInput && !flags.json,
    unattended: flags.noInput || flags.json,
    stderr: streams.stderr,
    note: (line) => err.write(`${flags.json ? line : withTypedProgram(line, { env })}\n`),
    progress: () => (flags.json ? noProgress : openProgress(err)),
  };
}
