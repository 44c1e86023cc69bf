import { discardSecrets } from '../foundation/secrets/discard-secrets.ts';
import type { Keyring } from '../foundation/secrets/keyring.ts';
import { checkSecrets, type UnreadableSecret } from '../foundation/secrets/sealed-secrets.ts';
import { confirmed } from './frame/confirm.ts';
import type { CommandContext } from './frame/context.ts';
import type { Terminal } from './frame/terminal.ts';
import { UsageError } from './frame/usage-error.ts';
import type { HostDatabase } from './with-host-database.ts';

/**
 * Deletes the saved secrets that none of the keys opens, after a person or `--yes` agreed, and says in the log which
 * they were. Only what was looked at before the question goes. Returns how many.
 * @throws UsageError where nobody agreed: nothing was changed then
 */
export async function discardUnreadable(
  { database, log }: HostDatabase,
  keyring: Keyring,
  { terminal, signal }: CommandContext,
  yes: boolean,
): Promise<number> {
  const found = await checkSecrets(database.queries, keyring);
  if (found.unreadable.length === 0) return 0;
  if (yes) terminal.note(`Discarding ${inWords(found)}.`);
  else await requireConsent(terminal, found);
  let count = 0;
  for await (const discarded of discardSecrets(database, found.unreadable)) {
    log.warn({ audit: 'secrets.discard', discarded }, 'unreadable connection secrets discarded');
    count += discarded.length;
    signal.throwIfAborted();
  }
  return count;
}

interface Found {
  readonly saved: number;
  readonly unreadable: readonly UnreadableSecret[];
}

/** Where no secret opens, a yes is too quickly said: most often it is the settings that are missing. */
async function requireConsent(terminal: Terminal, found: Found): Promise<void> {
  if (noneOpens(found)) {
    throw new UsageError(
      `None of the saved connection secrets can be read with the keys set here: ${inWords(found)}. Most often the ` +
        "command runs without the service's settings. Nothing was changed.",
      'Give the command the AUTH_SECRET, CONNECTION_SECRETS_ENCRYPTION_KEY and DATA_DIR of the service. If the key is ' +
        'lost for good, add --yes to delete all of them.',
    );
  }
  const question = `Delete ${inWords(found)} for good?`;
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    `Discarding ${inWords(found)} cannot be undone: nothing was changed.`,
    'Look at them with "orgctx doctor", then add --yes.',
  );
}

function noneOpens({ saved, unreadable }: Found): boolean {
  return saved === unreadable.length && unreadable.every(({ reason }) => reason === 'wrong_key');
}

/** The first few connections are named. */
const named = 10;

function inWords(found: Found): string {
  const { saved, unreadable } = found;
  const connections = [...new Set(unreadable.map(({ connectionId }) => connectionId))];
  const names = connections.slice(0, named).join(', ') + (connections.length > named ? ', …' : '');
  const share = saved === unreadable.length ? `all ${saved}` : `${unreadable.length} of ${saved}`;
  const owners =
    connections.length === 1 ? `connection ${names}` : `${connections.length} connections ${names}`;
  return `${share} saved secrets (${owners})`;
}
