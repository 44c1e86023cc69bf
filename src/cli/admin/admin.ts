import { defineGroup } from '../frame/command.ts';

export const adminCommand = defineGroup(
  {
    create: {
      summary: 'create a user and an organization, or add the user to it',
      load: async () => (await import('./admin-create.ts')).adminCreateCommand,
    },
    link: {
      summary: 'print a one-time sign-in link, also for a forgotten password',
      load: async () => (await import('./admin-link.ts')).adminLinkCommand,
    },
    user: {
      summary: 'disable or enable a user',
      load: async () => (await import('./admin-user.ts')).adminUserCommand,
    },
    member: {
      summary: 'remove a member from an organization',
      load: async () => (await import('./admin-member.ts')).adminMemberCommand,
    },
    key: {
      summary: 'create or revoke an API key of a user',
      load: async () => (await import('./admin-key.ts')).adminKeyCommand,
    },
  },
  "Manages users, memberships and keys with the authority of this host's operator. Changes apply from the next request.",
);
