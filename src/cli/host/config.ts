import { defineGroup } from '../frame/command.ts';

export const configCommand = defineGroup({
  show: {
    summary: 'show every setting, its value and its origin',
    load: async () => (await import('./config-show.ts')).configShowCommand,
  },
});
