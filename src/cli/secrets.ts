import { defineGroup } from './frame/command.ts';

export const secretsCommand = defineGroup(
  {
    rotate: {
      summary: 'encrypt every connection secret with the current key',
      load: async () => (await import('./secrets-rotate.ts')).secretsRotateCommand,
    },
  },
  'The secrets of connections: credentials of apps, webhook secrets, tokens. None is ever printed.',
);
