import { type Command, type CommandTable, defineCommand } from '../frame/command.ts';
import { requiredChoice } from '../frame/parameters.ts';
import { listCommands } from './command-tree.ts';
import { scripts, shells } from './shell-scripts.ts';

/** Creates the command that prints a completion script for the commands of `table`. */
export function completionCommand(table: CommandTable): Command {
  return defineCommand({
    description:
      'Prints a script that completes the commands, flags and fixed values of orgctx. Load it in the start-up file of your ' +
      'shell, and print it again after an upgrade.',
    args: { shell: requiredChoice(shells, 'your shell') },
    examples: [
      'source <(orgctx completion bash)',
      'source <(orgctx completion zsh)',
      'orgctx completion fish | source',
    ],
    run: async ({ args: { shell } }) => {
      const script = scripts[shell](await listCommands(table));
      return { json: { shell, script }, text: script };
    },
  });
}
