import { openSecrets, uncheckedSecrets } from '../../app/open/open-secrets.ts';
import { recordAsHost } from '../../features/identity/audit/act-as-host.ts';
import { systemClock as clock } from '../../foundation/kernel/clock.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import { type Rotation, rotateSecrets } from '../../foundation/secrets/rotate-secrets.ts';
import type { UnreadableSecret } from '../../foundation/secrets/sealed-secrets.ts';
import { type CommandResult, defineCommand } from '../frame/command.ts';
import { exitCodes } from '../frame/exit-code.ts';
import { toggle } from '../frame/parameters.ts';
import { discardUnreadable } from './discard-unreadable.ts';
import { hostFlags } from './host-flags.ts';
import { type HostDatabase, withHostDatabase } from './with-host-database.ts';

export const secretsRotateCommand = defineCommand({
  description:
    'Encrypts every saved connection secret with the current key: CONNECTION_SECRETS_ENCRYPTION_KEY, or AUTH_SECRET if ' +
    'that is not set. Secrets saved with an earlier key are read with CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS. First ' +
    'restart every process with both settings, then run this command; the service may keep running. If it is ' +
    'interrupted, run it again.',
  flags: {
    ...hostFlags,
    discardUnreadable: toggle(
      'delete secrets that no configured key can decrypt, after confirmation; they must be entered again',
    ),
    yes: toggle('with --discard-unreadable: do not ask for confirmation'),
  },
  examples: ['orgctx secrets rotate', 'orgctx secrets rotate --json'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, { name: 'secrets' }, async (host) => {
      const keyring = await keysFor(host, flags.discardUnreadable);
      const discarded = flags.discardUnreadable
        ? await discardUnreadable(host, keyring, context, flags.yes)
        : undefined;
      const rotation = await rotateSecrets({ database: host.database, clock }, keyring);
      const { unreadable: _, ...details } = rotation;
      await recordAsHost(host.database.queries, { action: 'secrets.rotated', details }, clock);
      for (const secret of rotation.unreadable) context.terminal.note(toText(secret));
      return resultOf(rotation, discarded);
    }),
});

/** Opens the keys; refuses keys that do not match the deployment unless `unchecked`. */
function keysFor({ settings, database }: HostDatabase, unchecked: boolean): Promise<Keyring> {
  return unchecked ? uncheckedSecrets(settings, database) : openSecrets(settings, database);
}

const reasons = {
  wrong_key: 'it is encrypted with a key that is not configured here',
  tampered: 'it is damaged or was copied from another field',
} as const;

function toText({ connectionId, field, reason }: UnreadableSecret): string {
  return `unreadable: ${field} of connection ${connectionId}: ${reasons[reason]}`;
}

function resultOf({ rotated, remaining, keyId }: Rotation, discarded: number | undefined): CommandResult {
  const sentences = [
    rotated === 0 && remaining === 0
      ? `No secret had to be encrypted again; all use the current key (${keyId}).`
      : `${counted(rotated, 'secret')} encrypted again with the current key (${keyId}).`,
    ...(remaining === 0 ? [] : [`${counted(remaining, 'secret')} could not be decrypted, see above.`]),
    ...(discarded === undefined ? [] : [`${counted(discarded, 'secret')} deleted.`]),
  ];
  return {
    json: { rotated, remaining, keyId, ...(discarded !== undefined && { discarded }) },
    text: sentences.join(' '),
    exitCode: remaining === 0 ? exitCodes.ok : exitCodes.failed,
  };
}
