import { defineGroup } from '../frame/command.ts';

export const connectorCommand = defineGroup({
  add: {
    summary: 'connect an account and mirror it into a repository; resumable',
    load: async () => (await import('./connector-add.ts')).connectorAddCommand,
  },
  resume: {
    summary: 'go on with the setup of a connection',
    load: async () => (await import('./connector-resume.ts')).connectorResumeCommand,
  },
  list: {
    summary: 'list the connections',
    load: async () => (await import('./connector-list.ts')).connectorListCommand,
  },
  status: {
    summary: 'show one connection, its error and the next step',
    load: async () => (await import('./connector-status.ts')).connectorStatusCommand,
  },
  retry: {
    summary: 'open the configuration pull request again, and read the configuration now',
    load: async () => (await import('./connector-retry.ts')).connectorRetryCommand,
  },
  sync: {
    summary: 'compare the provider, the mirrored files and the branch now, and commit what waits',
    load: async () => (await import('./connector-sync.ts')).connectorSyncCommand,
  },
  rebuild: {
    summary: 'read everything from the provider and write all mirrored files again',
    load: async () => (await import('./connector-rebuild.ts')).connectorRebuildCommand,
  },
  scope: {
    summary: 'show the scope, or propose another one by a pull request',
    load: async () => (await import('./connector-scope.ts')).connectorScopeCommand,
  },
  record: {
    summary: 'write a redacted trace of calls to the provider, on the host',
    load: async () => (await import('./connector-record.ts')).connectorRecordCommand,
  },
  remove: {
    summary: 'disconnect an account; mirrored files are kept',
    load: async () => (await import('./connector-remove.ts')).connectorRemoveCommand,
  },
});
