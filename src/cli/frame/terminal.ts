import type { Readable } from 'node:stream';
import type { Environment } from '../../foundation/config/read-environment.ts';
import { type Channel, isTerminal, type Output, openChannel } from './channel.ts';
import type { CommonFlags } from './common-flags.ts';
import { openProgress, type Progress } from './progress.ts';

type Input = Readable & { readonly isTTY?: boolean };

export interface Streams {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** The program's face: stdout carries results, stderr everything else (contract section 1). */
export interface Terminal {
  readonly stdin: Input;
  /** For results. The frame writes what `run` answers; only commands that answer nothing write here themselves. */
  readonly out: Channel;
  /** For everything else. */
  readonly err: Channel;
  readonly json: boolean;
  readonly verbose: boolean;
  /** True when a person can be asked: stdin and stderr are terminals, and neither `--no-input` nor `--json`. */
  readonly interactive: boolean;
  /** A line on stderr. */
  note(line: string): void;
  /** Progress on stderr: a bar on a terminal, one line a phase otherwise. */
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
    note: (line) => err.write(`${line}\n`),
    progress: () => openProgress(err),
  };
}
