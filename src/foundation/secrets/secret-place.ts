import type { ConnectionId } from '../kernel/ids.ts';

/** Where the canary belongs, which is sealed like a secret and is none of a connection. */
export const canaryId = 'connections';

/** Where a secret belongs. It is sealed to its place: moved to another row or field, it opens no more. */
export interface SecretPlace {
  readonly connectionId: ConnectionId | typeof canaryId;
  /** `clientSecret`, `webhookSecret`, `refreshToken`, … */
  readonly field: string;
}

/** The place as what an envelope is bound to. @throws RangeError where two places could read alike */
export function boundToPlace({ connectionId, field }: SecretPlace): string {
  if (connectionId.includes('\0') || field.includes('\0')) throw new RangeError('a place holds no NUL');
  return ['connection', connectionId, field].join('\0');
}
