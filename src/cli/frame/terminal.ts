import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Environment } from '../../foundation/config/read-environment.ts';
import type { CommonFlags } from './common-flags.ts';
import { openProgress, type Progress } from './progress.ts';

export type Style = Parameters<typeof styleText>[0];

type Input = Readable & { readonly isTTY?: boolean };
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Streams {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** One of the two outputs. */
export interface Channel {
  readonly isTerminal: boolean;
  /** Characters in a line; 80 when that is unknown. */
  readonly columns: number;
  write(text: string): void;
  /** `text` in that style, or as it is where colour is off. */
  style(style: Style, text: string): string;
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

function openChannel(stream: Output, env: Environment, flags: CommonFlags): Channel {
  const coloured = isTerminal(stream) && mayColour(env) && !flags.noColor;
  return {
    isTerminal: isTerminal(stream),
    columns: stream.columns ?? 80,
    write: (text) => void stream.write(text),
    style: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
  };
}

function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

/** no-color.org: any value of NO_COLOR but the empty one switches colour off. */
function mayColour(env: Environment): boolean {
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
