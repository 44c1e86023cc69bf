import { defineGroup } from '../frame/command.ts';

export const invitationCommand = defineGroup({
  list: {
    summary: 'list the open invitations',
    load: async () => (await import('./invitation-list.ts')).invitationListCommand,
  },
  add: {
    summary: 'invite a person and print the link',
    load: async () => (await import('./invitation-add.ts')).invitationAddCommand,
  },
  remove: {
    summary: 'withdraw an invitation',
    load: async () => (await import('./invitation-remove.ts')).invitationRemoveCommand,
  },
});
