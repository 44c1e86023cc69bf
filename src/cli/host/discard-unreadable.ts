import { recordAsHost } from '../../features/identity/audit/act-as-host.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { discardSecrets, type RecordSecrets } from '../../foundation/secrets/discard-secrets.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import { checkSecrets, type UnreadableSecret } from '../../foundation/secrets/sealed-secrets.ts';
import { confirmed } from '../frame/confirm.ts';
import type { CommandContext } from '../frame/context.ts';
import type { Terminal } from '../frame/terminal.ts';
import { UsageError } from '../frame/usage-error.ts';
import type { HostDatabase } from './with-host-database.ts';

/**
 * Deletes the saved secrets that none of the keys can decrypt, after confirmation or with `--yes`, and records which
 * they were. Only secrets that were checked before the confirmation are deleted. Returns their number.
 * @throws UsageError without confirmation; nothing was changed then
 */
export async function discardUnreadable(
  { database, log }: HostDatabase,
  keyring: Keyring,
  { terminal, signal }: CommandContext,
  yes: boolean,
): Promise<number> {
  const found = await checkSecrets(database.queries, keyring);
  if (found.unreadable.length === 0) return 0;
  if (yes) terminal.note(`Discarding ${toText(found)}.`);
  else await requireConsent(terminal, found);
  let count = 0;
  for await (const discarded of discardSecrets(database, found.unreadable, record)) {
    log.warn({ audit: 'secrets.discarded', discarded }, 'unreadable connection secrets discarded');
    count += discarded.length;
    signal.throwIfAborted();
  }
  return count;
}

const record: RecordSecrets = (tx, discarded) =>
  recordAsHost(tx, { action: 'secrets.discarded', details: { secrets: discarded } }, systemClock);

interface Found {
  readonly saved: number;
  readonly unreadable: readonly UnreadableSecret[];
}

/**
 * Asks for confirmation. If no secret can be decrypted, `--yes` is required, because the settings are probably
 * missing.
 */
async function requireConsent(terminal: Terminal, found: Found): Promise<void> {
  if (noneOpens(found)) {
    throw new UsageError(
      `None of the saved connection secrets can be read with the keys configured here: ${toText(found)}. The command ` +
        "probably runs without the service's settings. Nothing was changed.",
      'Run the command with the AUTH_SECRET, CONNECTION_SECRETS_ENCRYPTION_KEY and DATA_DIR of the service. If the key is ' +
        'permanently lost, add --yes to delete all of them.',
    );
  }
  const question = `Permanently delete ${toText(found)}?`;
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    `Discarding ${toText(found)} cannot be undone and was not confirmed; nothing was changed.`,
    'Check them with "orgctx doctor", then add --yes.',
  );
}

function noneOpens({ saved, unreadable }: Found): boolean {
  return saved === unreadable.length && unreadable.every(({ reason }) => reason === 'wrong_key');
}

/** Maximum number of connections that a message lists. */
const maxListed = 10;

function toText(found: Found): string {
  const { saved, unreadable } = found;
  const connections = [...new Set(unreadable.map(({ connectionId }) => connectionId))];
  const names = connections.slice(0, maxListed).join(', ') + (connections.length > maxListed ? ', …' : '');
  const share = saved === unreadable.length ? `all ${saved}` : `${unreadable.length} of ${saved}`;
  const owners =
    connections.length === 1 ? `connection ${names}` : `${connections.length} connections ${names}`;
  return `${share} saved secrets (${owners})`;
}
