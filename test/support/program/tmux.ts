import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { program } from './program.ts';

/** A command of the built program in a real terminal. */
export interface TerminalRun {
  /** Returns the current screen without trailing blanks. */
  screen(): string;
  /** Waits until the screen matches, and returns the match. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits until the command exits, and returns its exit code. */
  exitCode(): Promise<number>;
  /** Presses keys in tmux notation: `C-c` for Ctrl-C. */
  press(keys: string): void;
  close(): void;
}

export function hasTmux(): boolean {
  return spawnSync('tmux', ['-V']).status === 0;
}

/** Runs a command in a new tmux server, 100 columns wide, with only `env` as environment. */
export function runInTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TerminalRun {
  const socket = join(temporaryFolder(), 'tmux');
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, ...words], { encoding: 'utf8' });
  const variables = Object.entries({ TERM: 'screen', ...env }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const command = ['env', '-i', ...variables, process.execPath, program, ...args].map(quoted).join(' ');
  // Keeps the screen after the program has exited, so that its last output can be read.
  const line = `${command}; echo "exit=$?"; exec sleep 600`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '40', line);
  const screen = (): string => tmux('capture-pane', '-p', '-J', '-S', '-').trimEnd();
  const shows = async (pattern: RegExp): Promise<RegExpExecArray> => {
    await expect.poll(screen, { timeout: 120_000, interval: 100 }).toMatch(pattern);
    const match = pattern.exec(screen());
    if (match === null) throw new Error(`the screen changed: ${screen()}`);
    return match;
  };
  return {
    screen,
    shows,
    exitCode: async () => Number((await shows(/^exit=(\d+)$/m))[1]),
    press: (keys) => void tmux('send-keys', keys),
    close: () => void spawnSync('tmux', ['-S', socket, 'kill-server']),
  };
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
