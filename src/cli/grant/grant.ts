import { defineGroup } from '../frame/command.ts';

export const grantCommand = defineGroup({
  list: {
    summary: 'list the clients that may act for you',
    load: async () => (await import('./grant-list.ts')).grantListCommand,
  },
  remove: {
    summary: 'revoke the grant of a client at once',
    load: async () => (await import('./grant-remove.ts')).grantRemoveCommand,
  },
});
