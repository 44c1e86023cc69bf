import { z } from 'zod';
import { readAnswer, type Send } from './api-client.ts';

/** What `GET /api/v1/me` says of a credential. */
const callerShape = z.looseObject({
  user: z.looseObject({ id: z.string(), email: z.string() }),
  organization: z.looseObject({
    // It becomes part of paths (contract section 3).
    slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,38}$/),
    name: z.string(),
    role: z.string(),
  }),
  credential: z.looseObject({
    kind: z.string(),
    id: z.string(),
    name: z.string(),
    expiresAt: z.string().nullable(),
  }),
  scopes: z.array(z.string()),
});

export type RemoteCaller = z.output<typeof callerShape>;

/** Asks the service who the credential is; with an API key `org` says where. */
export async function fetchCaller(
  send: Send,
  { baseUrl, org }: { readonly baseUrl: string; readonly org: string | undefined },
): Promise<RemoteCaller> {
  const query = org === undefined ? '' : `?orgSlug=${encodeURIComponent(org)}`;
  return readAnswer(await send(`/api/v1/me${query}`, {}), callerShape, baseUrl);
}
