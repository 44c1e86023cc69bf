import { openSecrets, uncheckedSecrets } from '../app/open-secrets.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import type { Keyring } from '../foundation/secrets/keyring.ts';
import { type Rotation, rotateSecrets } from '../foundation/secrets/rotate-secrets.ts';
import type { UnreadableSecret } from '../foundation/secrets/sealed-secrets.ts';
import { discardUnreadable } from './discard-unreadable.ts';
import { type CommandResult, defineCommand } from './frame/command.ts';
import { exitCodes } from './frame/exit-code.ts';
import { toggle } from './frame/parameters.ts';
import { hostFlags } from './host-flags.ts';
import { type HostDatabase, withHostDatabase } from './with-host-database.ts';

export const secretsRotateCommand = defineCommand({
  description:
    'Encrypts every saved connection secret with the current key: CONNECTION_SECRETS_ENCRYPTION_KEY, or AUTH_SECRET ' +
    'where that is not set. Former keys are read from CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS. Run it while the ' +
    'service runs, once every process has the current key; stopped in the middle, it goes on where it was.',
  flags: {
    ...hostFlags,
    discardUnreadable: toggle(
      'delete secrets that no configured key opens, after a question; their connections need them again',
    ),
    yes: toggle('with --discard-unreadable: do not ask'),
  },
  examples: ['orgctx secrets rotate', 'orgctx secrets rotate --json'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, { name: 'secrets' }, async (host) => {
      const keyring = await keysFor(host, flags.discardUnreadable);
      const discarded = flags.discardUnreadable
        ? await discardUnreadable(host, keyring, context, flags.yes)
        : undefined;
      const rotation = await rotateSecrets({ database: host.database, clock }, keyring);
      for (const secret of rotation.unreadable) context.terminal.note(inWords(secret));
      return shown(rotation, discarded);
    }),
});

/** Refuses where the keys fit nothing, unless that is why it is run. */
function keysFor({ settings, database }: HostDatabase, mayFitNothing: boolean): Promise<Keyring> {
  return mayFitNothing ? uncheckedSecrets(settings, database) : openSecrets(settings, database);
}

const reasons = {
  wrong_key: 'it was saved with a key that is not set here',
  tampered: 'it is damaged or was moved from another place',
} as const;

function inWords({ connectionId, field, reason }: UnreadableSecret): string {
  return `unreadable: ${field} of connection ${connectionId}: ${reasons[reason]}`;
}

function shown({ rotated, remaining, keyId }: Rotation, discarded: number | undefined): CommandResult {
  const parts = [`${rotated} rotated`, `${remaining} remaining`];
  if (discarded !== undefined) parts.push(`${discarded} discarded`);
  return {
    json: { rotated, remaining, keyId, ...(discarded !== undefined && { discarded }) },
    text: `${parts.join(', ')} (key ${keyId})`,
    exitCode: remaining === 0 ? exitCodes.ok : exitCodes.failed,
  };
}
