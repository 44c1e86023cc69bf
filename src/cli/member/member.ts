import { defineGroup } from '../frame/command.ts';

export const memberCommand = defineGroup(
  {
    list: {
      summary: 'list the members of the organization',
      load: async () => (await import('./member-list.ts')).memberListCommand,
    },
    role: {
      summary: 'change the role of a member',
      load: async () => (await import('./member-role.ts')).memberRoleCommand,
    },
    remove: {
      summary: 'remove a member',
      load: async () => (await import('./member-remove.ts')).memberRemoveCommand,
    },
  },
  'Lists members, changes their roles and removes them. People join by invitation: "orgctx invitation add <email>".',
);
