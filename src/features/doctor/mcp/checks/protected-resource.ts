import { jsonObject, type Probe, redirected, send } from '../probe.ts';
import { type CheckOutcome, fail, pass } from '../report.ts';

export interface ProtectedResource {
  readonly outcome: CheckOutcome;
  /** The first authorization server named; the next check's input. */
  readonly authorizationServer?: string;
}

/**
 * specification, check "Protected resource": RFC 9728 metadata matches the `/mcp` audience (without the query
 * string) and names an authorization server.
 */
export async function checkProtectedResource(probe: Probe): Promise<ProtectedResource> {
  const url = `${probe.target.origin}/.well-known/oauth-protected-resource/mcp`;
  const reply = await send(probe, { url, headers: { accept: 'application/json' } });
  if ('fault' in reply) return { outcome: reply.fault };
  const redirect = redirected(reply.response);
  if (redirect !== undefined) return { outcome: redirect };

  const metadata = reply.response.status === 200 ? jsonObject(reply.response) : undefined;
  if (metadata === undefined) {
    return {
      outcome: fail(
        `No protected-resource metadata (${reply.response.status}).`,
        'Route /.well-known/ of the origin to orgctx, too.',
        { url, status: reply.response.status },
      ),
    };
  }
  return judge(metadata, `${probe.target.origin}/mcp`, url);
}

function judge(
  metadata: Readonly<Record<string, unknown>>,
  audience: string,
  url: string,
): ProtectedResource {
  const resource = metadata['resource'];
  const evidence = { url, resource: typeof resource === 'string' ? resource : null, audience };
  if (resource !== audience) {
    return {
      outcome: fail(
        'The resource of the metadata is not the /mcp audience.',
        `It must be ${audience}, without a query string: set AUTH_BASE_URL to the origin that clients see.`,
        evidence,
      ),
    };
  }
  const servers = metadata['authorization_servers'];
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (typeof first !== 'string' || !URL.canParse(first)) {
    return {
      outcome: fail(
        'The metadata names no authorization server.',
        'RFC 9728 needs authorization_servers for clients to go on: is the instance behind this origin orgctx?',
        evidence,
      ),
    };
  }
  const outcome = pass('The metadata matches the /mcp audience and names an authorization server.', {
    ...evidence,
    authorizationServer: first,
  });
  return { outcome, authorizationServer: first };
}
