import { type Finding, passUnless } from '../findings.ts';
import { listOf, type Metadata, readMetadata } from '../metadata-document.ts';
import type { Probe } from '../probe.ts';
import { type CheckOutcome, fail } from '../report.ts';

export interface ProtectedResource {
  readonly outcome: CheckOutcome;
  /** The first authorization server named; the next check's input. */
  readonly authorizationServer?: string;
}

const place = '/.well-known/oauth-protected-resource';

/**
 * specification, check "Protected resource": RFC 9728 metadata matches the `/mcp` audience (without the query
 * string) and names an authorization server.
 */
export async function checkProtectedResource(probe: Probe): Promise<ProtectedResource> {
  const { origin } = probe.target;
  const url = `${origin}${place}/mcp`;
  const reply = await readMetadata(probe, url, 'protected-resource');
  if ('fault' in reply) return { outcome: reply.fault };

  const { metadata, finding } = reply;
  const resource = typeof metadata['resource'] === 'string' ? metadata['resource'] : null;
  const audience = `${origin}/mcp`;
  const evidence = { url, resource, audience };
  if (resource !== audience) return { outcome: otherAudience(audience, evidence) };

  const [server] = listOf(metadata['authorization_servers']) ?? [];
  if (server === undefined || !URL.canParse(server)) return { outcome: unnamedServer(evidence) };
  const outcome = passUnless(
    [finding, methods(metadata), scopes(metadata), await atTheRoot(probe)],
    'The metadata matches the /mcp audience and names an authorization server.',
    { ...evidence, authorizationServer: server },
  );
  return { outcome, authorizationServer: server };
}

function otherAudience(
  audience: string,
  evidence: { readonly url: string; readonly resource: string | null; readonly audience: string },
): CheckOutcome {
  return fail(
    'The resource of the metadata is not the /mcp audience.',
    `It must be ${audience}, without a query string: ${causeOf(evidence.resource ?? '', audience)}`,
    evidence,
  );
}

function causeOf(resource: string, audience: string): string {
  if (resource.startsWith(`${audience}?`))
    return 'the query belongs to the URL of a client, never to the audience.';
  if (resource === `${audience}/`) return 'the slash at its end makes it another audience.';
  return 'set AUTH_BASE_URL to the origin that clients see.';
}

function unnamedServer(evidence: NonNullable<CheckOutcome['evidence']>): CheckOutcome {
  return fail(
    'The metadata names no authorization server.',
    'Clients need authorization_servers (RFC 9728) to go on: is the instance behind this origin orgctx?',
    evidence,
  );
}

function methods(metadata: Metadata): Finding | undefined {
  if (listOf(metadata['bearer_methods_supported'])?.includes('header') !== false) return undefined;
  return {
    message: 'It does not take tokens in the Authorization header.',
    hint: 'MCP clients send them there only: is the instance behind this origin orgctx?',
  };
}

function scopes(metadata: Metadata): Finding | undefined {
  if (listOf(metadata['scopes_supported'])?.includes('offline_access') !== true) return undefined;
  return {
    message: 'It lists offline_access.',
    hint: 'That is no scope of a resource: is the instance behind this origin orgctx, and is it up to date?',
  };
}

/** Clients that do not find the document of the path ask for the one of the origin. */
async function atTheRoot(probe: Probe): Promise<Finding | undefined> {
  const reply = await readMetadata(probe, probe.target.origin + place, 'protected-resource');
  if (!('fault' in reply)) return undefined;
  return {
    message: `${place} does not answer.`,
    hint: 'Some clients ask there: let the reverse proxy pass all of /.well-known/ to orgctx.',
  };
}
