import { z } from 'zod';
import { isoTimeOrNull } from '../../../foundation/kernel/clock.ts';
import type { CallerDescription } from './describe-caller.ts';
import { roles } from './principal.ts';

/** The caller that a credential identifies. */
export const callerRecord = z
  .object({
    user: z.object({ id: z.string(), email: z.string() }),
    organization: z.object({
      slug: z.string(),
      name: z.string(),
      role: z.enum(roles),
    }),
    credential: z.object({
      kind: z.enum(['api-key', 'oauth']),
      id: z.string().describe('Id of the API key or the grant.'),
      name: z.string().describe('Name of the API key, or of the authorized client.'),
      expiresAt: z.iso.datetime().nullable().describe('Expiry; use of a grant extends it.'),
    }),
    scopes: z.array(z.string()),
  })
  .meta({ id: 'Caller' });

export type CallerRecord = z.output<typeof callerRecord>;

export function toCallerRecord({ credential, scopes, ...caller }: CallerDescription): CallerRecord {
  const { expiresAt } = credential;
  return {
    ...caller,
    credential: { ...credential, expiresAt: isoTimeOrNull(expiresAt) },
    scopes: [...scopes],
  };
}
