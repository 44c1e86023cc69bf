import type { MirrorDeps } from '../features/mirror/mirror-deps.ts';
import type { Queries } from '../foundation/db/database.ts';
import { GitError } from '../foundation/git/git-error.ts';
import type { Keyring } from '../foundation/secrets/keyring.ts';
import { readSecret } from '../foundation/secrets/secret-store.ts';

/** Git hosts know whose a token is, and take any name beside it; this is the one that GitHub asks of Apps. */
const username = 'x-access-token';

/**
 * What a target is pushed with: the token saved on its Git-host connection, decrypted anew each time, so that a new one
 * counts at once. @throws GitError `authentication` where none is saved, SecretUnreadable
 */
export function mirrorCredentials(queries: Queries, keyring: Keyring): MirrorDeps['credentials'] {
  return async ({ githostConnectionId }) => {
    if (githostConnectionId === undefined) return undefined;
    const password = await readSecret(queries, keyring, {
      connectionId: githostConnectionId,
      field: 'token',
    });
    if (password !== undefined) return { username, password };
    throw new GitError(
      'authentication',
      'The Git-host connection of this repository has no token. Save one on the connection.',
    );
  };
}
