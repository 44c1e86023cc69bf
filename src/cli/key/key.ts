import { defineGroup } from '../frame/command.ts';

export const keyCommand = defineGroup({
  list: {
    summary: 'list your API keys',
    load: async () => (await import('./key-list.ts')).keyListCommand,
  },
  add: {
    summary: 'create an API key and print it once',
    load: async () => (await import('./key-add.ts')).keyAddCommand,
  },
  remove: {
    summary: 'revoke one of your API keys at once',
    load: async () => (await import('./key-remove.ts')).keyRemoveCommand,
  },
});
