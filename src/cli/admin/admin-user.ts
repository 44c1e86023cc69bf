import { disableUserAsHost, enableUserAsHost } from '../../features/identity/audit/act-as-host.ts';
import type { IdentityDeps } from '../../features/identity/identity-deps.ts';
import type { User } from '../../features/identity/people/user.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { type Command, defineCommand, defineGroup } from '../frame/command.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { adminDatabase, personFlags, requireUser } from './admin-person.ts';

export const adminUserCommand = defineGroup({
  disable: {
    summary: 'stop every key, grant and session of a user at once',
    load: () => stateCommand('disabled', disableUserAsHost),
  },
  enable: {
    summary: 'enable a disabled user, with their existing keys and grants',
    load: () => stateCommand('enabled', enableUserAsHost),
  },
});

function stateCommand(
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
