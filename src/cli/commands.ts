import { type CommandTable, defineGroup } from './frame/command.ts';

/** Every command by its words, in the order of the help. */
export const commands: CommandTable = {
  repo: {
    summary: 'add, list, watch and remove repositories',
    load: () =>
      defineGroup({
        add: {
          summary: 'add a repository; cloning and indexing start at once',
          load: async () => (await import('./repo-add.ts')).repoAddCommand,
        },
        list: {
          summary: 'list the repositories of the organization',
          load: async () => (await import('./repo-list.ts')).repoListCommand,
        },
        status: {
          summary: 'show one repository, its progress and its last error',
          load: async () => (await import('./repo-status.ts')).repoStatusCommand,
        },
        sync: {
          summary: 'fetch and index what is new',
          load: async () => (await import('./repo-sync.ts')).repoSyncCommand,
        },
        remove: {
          summary: 'remove a repository with its clone and index',
          load: async () => (await import('./repo-remove.ts')).repoRemoveCommand,
        },
      }),
  },
  search: {
    summary: 'search the code of the organization',
    load: async () => (await import('./search.ts')).searchCommand,
  },
  ask: {
    summary: 'ask the advisor, answered with citations',
    load: async () => (await import('./ask.ts')).askCommand,
  },
  mcp: {
    summary: 'connect an MCP client',
    load: () =>
      defineGroup({
        config: {
          summary: 'print the configuration of an MCP client',
          load: async () => (await import('./mcp-config.ts')).mcpConfigCommand,
        },
      }),
  },
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
