import { findApiKeyByPrefix } from '../../features/identity/api-keys/api-key-store.ts';
import { parseDuration } from '../../features/identity/api-keys/duration.ts';
import { createApiKeyAsHost, revokeApiKeyAsHost } from '../../features/identity/audit/act-as-host.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { defineCommand, defineGroup } from '../frame/command.ts';
import { requiredText, text } from '../frame/parameters.ts';
import { hostFlags } from '../host/host-flags.ts';
import { completeId } from '../host/host-ids.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { adminDatabase, personFlags, requireEnabledUser } from './admin-person.ts';

const createCommand = defineCommand({
  description:
    'Creates an API key and prints it; it is not shown again. The key works in every organization of its user.',
  flags: {
    ...personFlags,
    name: requiredText('name', 'what the key is for'),
    expiresIn: text('duration', 'lifetime such as 90d, 12h or 2w; default: until the key is revoked'),
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
        context.terminal.note(`Key ${id} (${prefix}…) of ${user.email}; it is not shown again:`);
      }
      return { json: { id, prefix, apiKey }, text: apiKey };
    });
  },
});

const keyRecords = {
  table: 'api_keys',
  singular: 'API key',
  plural: 'keys',
  listedBy: 'orgctx key list --json',
} as const;

const revokeCommand = defineCommand({
  args: { id: requiredText('key', 'id of the key, its start, or the prefix that "orgctx key list" shows') },
  flags: hostFlags,
  examples: ['orgctx admin key revoke 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10'],
  run: ({ args, flags }, context) =>
    withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
      const prefix = args.id.replace(/…$/, '');
      const id =
        (await findApiKeyByPrefix(database.queries, prefix)) ??
        (await completeId(database.queries, keyRecords, args.id));
      await revokeApiKeyAsHost({ database, clock: systemClock }, id);
      return { json: { id, revoked: true }, text: `The key ${id} is revoked.` };
    }),
});

export const adminKeyCommand = defineGroup({
  create: { summary: 'create an API key of a user', load: () => createCommand },
  revoke: { summary: 'revoke an API key at once', load: () => revokeCommand },
});
