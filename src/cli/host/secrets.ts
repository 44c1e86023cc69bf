import { defineGroup } from '../frame/command.ts';

export const secretsCommand = defineGroup(
  {
    rotate: {
      summary: 'encrypt every connection secret with the current key',
      load: async () => (await import('./secrets-rotate.ts')).secretsRotateCommand,
    },
  },
  'Manages the secrets of connections: app credentials, webhook secrets, tokens. Secrets are never printed.',
);
