import { defineGroup } from './frame/command.ts';

export const keyCommand = defineGroup({
  list: {
    summary: 'list your API keys',
    load: async () => (await import('./key-list.ts')).keyListCommand,
  },
  add: {
    summary: 'make an API key of yours and print it, this once',
    load: async () => (await import('./key-add.ts')).keyAddCommand,
  },
  remove: {
    summary: 'end an API key of yours at once',
    load: async () => (await import('./key-remove.ts')).keyRemoveCommand,
  },
});
