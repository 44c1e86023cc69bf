import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Environment } from '../../foundation/config/read-environment.ts';
import type { CommonFlags } from './common-flags.ts';

export type Style = Parameters<typeof styleText>[0];

export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** One of the two output streams. */
export interface Channel {
  readonly isTerminal: boolean;
  /** Width of a line in characters. Default: 80. */
  readonly columns: number;
  write(text: string): void;
  /** Returns `text` with that style, or unchanged if colour is off. */
  style(style: Style, text: string): string;
}

export function openChannel(stream: Output, env: Environment, flags: CommonFlags): Channel {
  const coloured = isTerminal(stream) && mayColour(env) && !flags.noColor;
  return {
    isTerminal: isTerminal(stream),
    columns: stream.columns ?? 80,
    write: (text) => void stream.write(text),
    style: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
  };
}

export function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

/** Returns whether the environment allows colour. Any non-empty NO_COLOR disables it (no-color.org). */
function mayColour(env: Environment): boolean {
  return !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
