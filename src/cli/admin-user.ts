import { disableUserAsHost, enableUserAsHost } from '../features/identity/audit/act-as-host.ts';
import type { IdentityDeps } from '../features/identity/identity-deps.ts';
import type { User } from '../features/identity/people/user.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import { adminDatabase, personFlags, requireUser } from './admin-person.ts';
import { type Command, defineCommand, defineGroup } from './frame/command.ts';
import { withHostDatabase } from './with-host-database.ts';

export const adminUserCommand = defineGroup({
  disable: {
    summary: 'stop every key, grant and session of a user at once',
    load: () => switching('disabled', disableUserAsHost),
  },
  enable: {
    summary: 'let a disabled user in again, with the keys and grants they had',
    load: () => switching('enabled', enableUserAsHost),
  },
});

function switching(
  state: 'disabled' | 'enabled',
  change: (deps: IdentityDeps, user: User) => Promise<void>,
): Command {
  return defineCommand({
    flags: personFlags,
    run: ({ flags }, context) =>
      withHostDatabase(context, flags, adminDatabase, async ({ database }) => {
        const user = await requireUser(database.queries, flags.email);
        await change({ database, clock: systemClock }, user);
        const { id, email } = user;
        return { json: { user: { id, email }, state }, text: `${email} is ${state}.` };
      }),
  });
}
