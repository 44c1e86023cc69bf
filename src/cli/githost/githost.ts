import { defineGroup } from '../frame/command.ts';

export const githostCommand = defineGroup({
  add: {
    summary: 'connect a Git host; its credentials are checked there first',
    load: async () => (await import('./githost-add.ts')).githostAddCommand,
  },
  list: {
    summary: 'list the connections to Git hosts',
    load: async () => (await import('./githost-list.ts')).githostListCommand,
  },
  status: {
    summary: 'show one connection, its last error and the next step',
    load: async () => (await import('./githost-status.ts')).githostStatusCommand,
  },
  set: {
    summary: 'rename a connection, or replace its expired token or key',
    load: async () => (await import('./githost-set.ts')).githostSetCommand,
  },
  remove: {
    summary: 'remove a connection and its secrets',
    load: async () => (await import('./githost-remove.ts')).githostRemoveCommand,
  },
  key: {
    summary: 'show the SSH key of the organization, creating it if there is none',
    load: async () => (await import('./githost-key.ts')).githostKeyCommand,
  },
});
