import type { HttpResponse } from '../../../../foundation/net/http.ts';
import { type Probe, redirected, send } from '../probe.ts';
import { type CheckOutcome, fail, pass } from '../report.ts';

/** specification, Versioning rule 2: the diagnostic speaks protocol 2025-11-25. */
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'orgctx-doctor', version: '1' },
  },
};

/**
 * specification, check "OAuth challenge": an unauthenticated initialize returns 401 with a Bearer challenge that
 * includes `resource_metadata` (RFC 9728 section 5.1).
 */
export async function checkOauthChallenge(probe: Probe): Promise<CheckOutcome> {
  const reply = await send(probe, {
    url: probe.target.href,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(initialize),
  });
  if ('fault' in reply) return reply.fault;
  return redirected(reply.response) ?? judge(reply.response, probe.target);
}

function judge(response: HttpResponse, target: URL): CheckOutcome {
  const header = response.headers['www-authenticate'];
  const evidence = { status: response.status, wwwAuthenticate: header ?? null };
  if (response.status !== 401) {
    return fail(
      `An unauthenticated initialize answers ${response.status}, not 401.`,
      'Clients start OAuth on a 401 only: a proxy may answer instead of orgctx, or the path leads elsewhere.',
      evidence,
    );
  }
  if (header === undefined || !/^bearer\b/i.test(header)) {
    return fail(
      'The 401 carries no Bearer challenge.',
      'Let the reverse proxy pass WWW-Authenticate through and put no sign-in of its own before /mcp.',
      evidence,
    );
  }
  const metadata = challengeParameter(header, 'resource_metadata');
  if (metadata === undefined) {
    return fail(
      'The Bearer challenge has no resource_metadata.',
      'Without it clients cannot start OAuth discovery: a proxy rewrites the header, or another server answers.',
      evidence,
    );
  }
  if (!URL.canParse(metadata) || new URL(metadata).origin !== target.origin) {
    return fail(
      'resource_metadata names another origin than the target.',
      'Set AUTH_BASE_URL to the origin that clients see; discovery is built from it alone.',
      { ...evidence, resourceMetadata: metadata },
    );
  }
  return pass('An unauthenticated initialize is challenged with resource_metadata.', evidence);
}

/** One auth-param of a challenge (RFC 9110 section 11.2): a token or a quoted string. */
function challengeParameter(header: string, name: string): string | undefined {
  const found = new RegExp(`[\\s,]${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(header);
  return found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2];
}
