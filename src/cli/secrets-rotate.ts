import { openCurrentDatabase, type Settings } from '../app/open-database.ts';
import { keySettings, openSecrets } from '../app/open-secrets.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import { type Rotation, rotateSecrets } from '../foundation/secrets/rotate-secrets.ts';
import type { UnreadableSecret } from '../foundation/secrets/sealed-secrets.ts';
import { createLogger } from '../foundation/telemetry/logger.ts';
import { type CommandResult, defineCommand } from './frame/command.ts';
import { exitCodes } from './frame/exit-code.ts';
import { toggle } from './frame/parameters.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';

export const secretsRotateCommand = defineCommand({
  description:
    'Encrypts every saved connection secret with the current key: CONNECTION_SECRETS_ENCRYPTION_KEY, or AUTH_SECRET ' +
    'where that is not set. Former keys are read from CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS. Run it while the ' +
    'service runs, once every process has the current key; stopped in the middle, it goes on where it was.',
  flags: {
    ...hostFlags,
    discardUnreadable: toggle(
      'delete secrets that no configured key opens; their connections need them again',
    ),
  },
  examples: ['orgctx secrets rotate', 'orgctx secrets rotate --json'],
  async run({ flags }, context) {
    const { terminal } = context;
    const pretty = terminal.err.isTerminal;
    const log = createLogger({ level: 'warn', name: 'secrets', destination: 'stderr', pretty });
    const settings = loadHostConfig(context, flags);
    const database = await openCurrentDatabase(settings, 'command', log, { create: false });
    try {
      const { discardUnreadable } = flags;
      const rotation = await rotate(settings, database, discardUnreadable);
      for (const secret of rotation.unreadable) terminal.note(inWords(secret));
      return shown(rotation, discardUnreadable);
    } finally {
      await database.close();
    }
  },
});

async function rotate(settings: Settings, database: Database, discardUnreadable: boolean): Promise<Rotation> {
  // Refuses where the keys fit nothing: most often the command runs without the service's settings.
  if (!discardUnreadable) await openSecrets(settings, database);
  return rotateSecrets({ database, clock, discardUnreadable }, await keySettings(settings));
}

const reasons = {
  wrong_key: 'it was saved with a key that is not set here',
  tampered: 'it is damaged or was moved from another place',
} as const;

function inWords({ connectionId, field, reason }: UnreadableSecret): string {
  return `unreadable: ${field} of connection ${connectionId}: ${reasons[reason]}`;
}

function shown({ rotated, remaining, keyId, discarded }: Rotation, mayDiscard: boolean): CommandResult {
  const parts = [`${rotated} rotated`, `${remaining} remaining`];
  if (mayDiscard) parts.push(`${discarded} discarded`);
  return {
    json: { rotated, remaining, keyId, ...(mayDiscard && { discarded }) },
    text: `${parts.join(', ')} (key ${keyId})`,
    exitCode: remaining === 0 ? exitCodes.ok : exitCodes.failed,
  };
}
