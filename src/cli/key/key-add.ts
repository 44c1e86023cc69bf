import { parseDuration } from '../../features/identity/api-keys/duration.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { repeated, requiredText, text } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findRepository } from '../repo/remote-repository.ts';
import { newKey } from './remote-key.ts';

export const keyAddCommand = defineCommand({
  description:
    'Creates an API key for you and prints it; it is not shown again. The key works in all your organizations, or only reads ' +
    'the repositories that --repository names. A key that ' +
    'is created with the login of "orgctx login" works only in the organization of the login.',
  flags: {
    name: requiredText('name', 'what the key is for'),
    expiresIn: text('duration', 'lifetime such as 90d, 12h or 2w; default: until the key is removed'),
    repository: repeated('name', 'the only repository that the key reads; may be given several times'),
    ...remoteFlags,
  },
  examples: [
    'orgctx key add --name laptop --expires-in 90d',
    'orgctx key add --name ci --repository acme/api --repository acme/web',
  ],
  run: ({ flags: { name, expiresIn, repository, ...flags } }, context) => {
    // The service checks it too, but calls it by the name of its field.
    if (expiresIn !== undefined) parseDuration(expiresIn, '--expires-in');
    return withApi(context, flags, async (api) => {
      const found = [];
      for (const each of repository) found.push((await findRepository(api, each)).id);
      const repositories = found.length === 0 ? undefined : found;
      const created = await api.call(
        { method: 'POST', path: '/api-keys', body: { name, expiresIn, repositories } },
        newKey,
      );
      if (!context.terminal.json) {
        context.terminal.note(visibleLine(`Key ${created.id} (${created.prefix}…); it is not shown again:`));
      }
      return { json: created, text: visibleLine(created.apiKey) };
    });
  },
});
