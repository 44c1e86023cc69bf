import type { HttpResponse } from '../../../../foundation/net/http.ts';
import { type Finding, passUnless } from '../findings.ts';
import { type Probe, send } from '../probe.ts';
import { type CheckOutcome, fail } from '../report.ts';
import { readChallenges } from '../www-authenticate.ts';

/** The protocol version that the diagnostic uses (specification, Versioning rule 2). */
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
 * Checks that an unauthenticated initialize returns 401 with a Bearer challenge that
 * includes `resource_metadata` (RFC 9728 section 5.1). Also checks that `GET /mcp` does not hang,
 * because clients try it.
 */
export async function checkOauthChallenge(probe: Probe): Promise<CheckOutcome> {
  const reply = await send(probe, {
    url: addressOf(probe.target),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(initialize),
  });
  if ('error' in reply) return reply.error;
  const { response } = reply;
  const evidence = { status: response.status, wwwAuthenticate: response.headers['www-authenticate'] ?? null };
  if (response.status !== 401) return notChallenged(response.status, evidence);

  const challenge = checkChallenge(response, probe.target);
  if ('error' in challenge)
    return { ...challenge.error, evidence: { ...evidence, ...challenge.error.evidence } };
  return passUnless(
    [...challenge.findings, await openStream(probe)],
    'An unauthenticated initialize is challenged with resource_metadata.',
    evidence,
  );
}

/** Returns the target without its fragment, which clients never send. */
function addressOf(target: URL): string {
  const address = new URL(target);
  address.hash = '';
  return address.href;
}

function notChallenged(status: number, evidence: NonNullable<CheckOutcome['evidence']>): CheckOutcome {
  const message = `An unauthenticated initialize answers ${status}, not 401.`;
  return fail(message, `Clients start OAuth on a 401 only: ${causeOf(status)}`, evidence);
}

function causeOf(status: number): string {
  if (status < 300) return 'another program answers here, or a proxy that adds a credential of its own.';
  if (status === 403) return 'a firewall or proxy refuses the request before orgctx sees it.';
  if (status === 404 || status === 405) return 'let the reverse proxy pass /mcp with every method to orgctx.';
  if (status >= 500) return 'look at the log of orgctx serve and at the reverse proxy.';
  return 'a proxy may answer instead of orgctx, or the path leads elsewhere.';
}

type ChallengeResult =
  | { readonly findings: readonly (Finding | undefined)[] }
  | { readonly error: CheckOutcome };

function checkChallenge(response: HttpResponse, target: URL): ChallengeResult {
  const challenges = readChallenges(response.headers['www-authenticate'] ?? '');
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer === undefined) {
    return {
      error: fail(
        'The 401 carries no Bearer challenge.',
        'Let the reverse proxy pass WWW-Authenticate through and put no sign-in of its own before /mcp.',
      ),
    };
  }
  const metadata = bearer.parameters.get('resource_metadata');
  if (metadata === undefined) {
    return {
      error: fail(
        'The Bearer challenge has no resource_metadata.',
        'Without it clients cannot start OAuth discovery: a proxy rewrites the header, or another server answers.',
      ),
    };
  }
  if (!URL.canParse(metadata) || new URL(metadata).origin !== target.origin) {
    return {
      error: fail(
        'resource_metadata names another origin than the target.',
        'Set AUTH_BASE_URL to the origin that clients see; discovery is built from it alone.',
        { resourceMetadata: metadata },
      ),
    };
  }
  return { findings: [checkAddress(metadata, target), scopes(bearer.parameters.get('scope'))] };
}

/**
 * Checks the address of the metadata: clients that ignore the challenge use the well-known one (RFC 9728 section
 * 3.1).
 */
function checkAddress(metadata: string, target: URL): Finding | undefined {
  if (metadata === `${target.origin}/.well-known/oauth-protected-resource/mcp`) return undefined;
  return {
    message: 'resource_metadata is not the well-known address of /mcp.',
    hint: 'Clients that follow the challenge and clients that follow the path get two documents: is it orgctx?',
  };
}

/**
 * Checks the scope: it tells clients what to request, and `offline_access` is not a scope of a resource (MCP
 * authorization).
 */
function scopes(scope: string | undefined): Finding | undefined {
  if (scope === undefined) {
    return {
      message: 'The challenge names no scope.',
      hint: 'Clients may ask for too little: a proxy rewrites the header, or another server answers.',
    };
  }
  if (!scope.split(' ').includes('offline_access')) return undefined;
  return {
    message: 'The challenge asks for offline_access.',
    hint: 'It is no scope of a resource: a proxy rewrites the header, or another server answers.',
  };
}

/**
 * Checks GET. A client may open a stream with it; a server that neither streams nor refuses leaves the client
 * waiting.
 */
async function openStream(probe: Probe): Promise<Finding | undefined> {
  const limited = { ...probe, timeoutMs: Math.min(probe.timeoutMs, 5000) };
  const reply = await send(limited, {
    url: addressOf(probe.target),
    headers: { accept: 'text/event-stream' },
  });
  const hint =
    'It must answer 401 or 405 at once: let the reverse proxy pass every method of /mcp and buffer nothing.';
  if ('error' in reply) return { message: `GET /mcp fails: ${reply.error.message}`, hint };
  const { status } = reply.response;
  return status === 401 || status === 405 ? undefined : { message: `GET /mcp answers ${status}.`, hint };
}
