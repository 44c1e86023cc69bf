import { disableUser, enableUser } from '../features/identity/user-store.ts';
import type { Queries } from '../foundation/db/database.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import type { UserId } from '../foundation/kernel/ids.ts';
import { adminDatabase, personFlags, requireUser } from './admin-person.ts';
import { type Command, defineCommand, defineGroup } from './frame/command.ts';
import { withHostDatabase } from './with-host-database.ts';

export const adminUserCommand = defineGroup({
  disable: {
    summary: 'stop every key and sign-in of a user at once; nothing is deleted',
    load: () => switching('disabled', (queries, id) => disableUser(queries, id, systemClock())),
  },
  enable: {
    summary: 'let a disabled user in again, with the keys they had',
    load: () => switching('enabled', enableUser),
  },
});

function switching(
  state: 'disabled' | 'enabled',
  change: (queries: Queries, id: UserId) => Promise<void>,
): Command {
  return defineCommand({
    flags: personFlags,
    run: ({ flags }, context) =>
      withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
        const { id, email } = await requireUser(database.queries, flags.email);
        await change(database.queries, id);
        return { json: { user: { id, email }, state }, text: `${email} is ${state}.` };
      }),
  });
}
