import type { HttpResponse } from '../../../foundation/net/http.ts';
import type { Finding } from './findings.ts';
import { jsonObject, type Probe, send } from './probe.ts';
import { type CheckOutcome, fail } from './report.ts';

export type Metadata = Readonly<Record<string, unknown>>;

export type MetadataReply =
  | { readonly metadata: Metadata; readonly finding: Finding | undefined }
  | { readonly error: CheckOutcome };

/** Reads a discovery document as clients do: JSON with status 200, without credentials. `name` is for messages. */
export async function readMetadata(probe: Probe, url: string, name: string): Promise<MetadataReply> {
  const reply = await send(probe, { url, headers: { accept: 'application/json' } });
  if ('error' in reply) return reply;
  const { response } = reply;
  const metadata = response.status === 200 ? jsonObject(response) : undefined;
  if (metadata !== undefined) return { metadata, finding: mediaType(response) };
  const message =
    response.status === 200
      ? `The ${name} metadata is not JSON.`
      : `No ${name} metadata (${response.status}).`;
  return { error: fail(message, hintFor(response.status), { url, status: response.status }) };
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) {
    return 'Discovery comes before any sign-in: let the reverse proxy pass /.well-known/ without one of its own.';
  }
  if (status >= 500) return 'Look at the log of orgctx serve and at the reverse proxy.';
  return 'Clients cannot sign in by OAuth here. Route /.well-known/ of the origin to orgctx, and upgrade an old one.';
}

function mediaType({ headers }: HttpResponse): Finding | undefined {
  if (/^application\/json\b/i.test(headers['content-type'] ?? '')) return undefined;
  return {
    message: 'It is not sent as application/json.',
    hint: 'Let the reverse proxy leave Content-Type alone: some clients refuse other types.',
  };
}

/** Returns a member that is a list of strings; `undefined` if it is absent or has another type. */
export function listOf(member: unknown): readonly string[] | undefined {
  return Array.isArray(member) ? member.filter((item) => typeof item === 'string') : undefined;
}
