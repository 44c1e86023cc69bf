import type { z } from 'zod';
import { callerRecord } from '../../features/identity/access/caller-record.ts';
import { hasSlugFormat } from '../../features/identity/people/organization.ts';
import { readAnswer, type Send } from './api-client.ts';
import { tolerant } from './tolerant.ts';

/** The response of `GET /api/v1/me`. */
const remoteCaller = tolerant(callerRecord)
  // The slug becomes part of paths (contract section 3).
  .refine(({ organization }) => hasSlugFormat(organization.slug));

export type RemoteCaller = z.output<typeof remoteCaller>;

/** Fetches the identity of the credential; for an API key `org` selects the organization. */
export async function fetchCaller(
  send: Send,
  { baseUrl, org }: { readonly baseUrl: string; readonly org: string | undefined },
): Promise<RemoteCaller> {
  const query = org === undefined ? '' : `?orgSlug=${encodeURIComponent(org)}`;
  return readAnswer(await send(`/api/v1/me${query}`, {}), remoteCaller, baseUrl);
}
