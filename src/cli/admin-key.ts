import { parseDuration } from '../features/identity/api-keys/duration.ts';
import { createApiKeyAsHost, revokeApiKeyAsHost } from '../features/identity/audit/act-as-host.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { adminDatabase, personFlags, requireEnabledUser } from './admin-person.ts';
import { defineCommand, defineGroup } from './frame/command.ts';
import { requiredText, text } from './frame/parameters.ts';
import { hostFlags } from './host-flags.ts';
import { withHostDatabase } from './with-host-database.ts';

const createCommand = defineCommand({
  description: 'Creates an API key. It works in every organization of its user and is shown this once.',
  flags: {
    ...personFlags,
    name: requiredText('name', 'what the key is for'),
    expiresIn: text('duration', 'such as 90d, 12h or 2w; without it the key lives until it is revoked'),
  },
  examples: ['orgctx admin key create --email ada@example.com --name laptop --expires-in 90d'],
  run: ({ flags }, context) => {
    const expiresIn =
      flags.expiresIn === undefined ? undefined : parseDuration(flags.expiresIn, '--expires-in');
    return withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
      const user = await requireEnabledUser(database.queries, flags.email);
      const request = { name: flags.name, expiresIn };
      const { id, prefix, apiKey } = await createApiKeyAsHost(
        { database, clock: systemClock },
        user,
        request,
      );
      if (!context.terminal.json) {
        context.terminal.note(`Key ${id} (${prefix}…) of ${user.email}; it is shown this once:`);
      }
      return { json: { id, prefix, apiKey }, text: apiKey };
    });
  },
});

const revokeCommand = defineCommand({
  args: { id: requiredText('id', 'the id of the key, as "admin key create" printed it') },
  flags: hostFlags,
  examples: ['orgctx admin key revoke 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10'],
  run: ({ args, flags }, context) =>
    withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
      await revokeApiKeyAsHost({ database, clock: systemClock }, args.id);
      return { json: { id: args.id, revoked: true }, text: `The key ${args.id} is revoked.` };
    }),
});

export const adminKeyCommand = defineGroup({
  create: { summary: 'create an API key of a user', load: () => createCommand },
  revoke: { summary: 'end an API key at once', load: () => revokeCommand },
});
