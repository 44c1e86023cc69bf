import { defineGroup } from './frame/command.ts';

export const invitationCommand = defineGroup({
  list: {
    summary: 'list the invitations that are open',
    load: async () => (await import('./invitation-list.ts')).invitationListCommand,
  },
  add: {
    summary: 'invite someone and print the link for them',
    load: async () => (await import('./invitation-add.ts')).invitationAddCommand,
  },
  remove: {
    summary: 'take an invitation back',
    load: async () => (await import('./invitation-remove.ts')).invitationRemoveCommand,
  },
});
