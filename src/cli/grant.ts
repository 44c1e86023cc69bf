import { defineGroup } from './frame/command.ts';

export const grantCommand = defineGroup({
  list: {
    summary: 'list the clients that you let act for you',
    load: async () => (await import('./grant-list.ts')).grantListCommand,
  },
  remove: {
    summary: 'end what you granted a client, at once',
    load: async () => (await import('./grant-remove.ts')).grantRemoveCommand,
  },
});
