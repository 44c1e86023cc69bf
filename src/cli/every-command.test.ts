import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../test/support/program/command-line.ts';
import { commands } from './commands.ts';
import { type CompletedCommand, listCommands } from './completion/command-tree.ts';

const words = ({ path }: CompletedCommand): string => path.join(' ');

describe('every command', () => {
  let all: readonly CompletedCommand[];
  beforeAll(async () => {
    all = await listCommands(commands);
  });

  it('prints help that fits 80 columns', async () => {
    const wide: string[] = [];
    for (const { path } of all) {
      const { code, stdout, stderr } = await runCli([...path, '--help']);
      expect([path, code, stderr]).toEqual([path, 0, '']);
      wide.push(...stdout.split('\n').filter((line) => line.length > 80));
    }
    expect(wide).toEqual([]);
  });

  it('lists a flag once that it shares with the command above it', async () => {
    const { stdout } = await runCli(['doctor', 'connector', '--help']);
    expect(stdout.match(/--data-dir/g)).toHaveLength(1);
  });

  it('refuses a flag that it does not have with exit code 2, one line of error, and what to do', async () => {
    for (const command of all) {
      const { code, stdout, stderr } = await runCli([...command.path, '--jsno']);
      expect([words(command), code, stdout]).toEqual([words(command), 2, '']);
      expect(stderr).toMatch(/^error: .*\n.*(?:--help|Did you mean)/);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });

  it('names the closest subcommand of a command that also runs by itself', async () => {
    const { code, stderr } = await runCli(['doctor', 'mpc']);
    expect([code, stderr]).toEqual([2, "error: unknown command 'mpc'\n(Did you mean mcp?)\n"]);
  });

  it('names the closest subcommand for a typo, or the help', async () => {
    for (const { path, subcommands } of all) {
      for (const { word } of subcommands) {
        if (word.length < 4) continue;
        const { code, stderr } = await runCli([...path, word.slice(0, -1)]);
        expect([path, word, code, stderr]).toEqual([
          path,
          word,
          2,
          expect.stringMatching(/Did you mean|--help/),
        ]);
      }
    }
  });
});
