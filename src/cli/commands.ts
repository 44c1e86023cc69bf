import { type CommandTable, defineGroup } from './frame/command.ts';

/** Every command by its words, in the order of the help. */
export const commands: CommandTable = {
  config: {
    summary: 'settings and where they come from',
    load: () =>
      defineGroup({
        show: {
          summary: 'show every setting, its value and its origin',
          load: async () => (await import('./config-show.ts')).configShowCommand,
        },
      }),
  },
  version: {
    summary: 'print the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
};
