import { defineGroup } from '../frame/command.ts';

export const repoCommand = defineGroup({
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
  set: {
    summary: 'change the source, name or branches of a repository',
    load: async () => (await import('./repo-set.ts')).repoSetCommand,
  },
  sync: {
    summary: 'fetch and index new commits',
    load: async () => (await import('./repo-sync.ts')).repoSyncCommand,
  },
  remove: {
    summary: 'remove a repository with its clone and index',
    load: async () => (await import('./repo-remove.ts')).repoRemoveCommand,
  },
});
