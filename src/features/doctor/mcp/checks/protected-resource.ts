import { type Finding, passUnless } from '../findings.ts';
import { listOf, type Metadata, readMetadata } from '../metadata-document.ts';
import type { Probe } from '../probe.ts';
import { type CheckOutcome, fail } from '../report.ts';

export interface ProtectedResource {
  readonly outcome: CheckOutcome;
  /** The first authorization server in the metadata; input of the next check. */
  readonly authorizationServer?: string;
}

const wellKnownPath = '/.well-known/oauth-protected-resource';

/**
 * Checks that RFC 9728 metadata matches the `/mcp` audience (without the query
 * string) and names an authorization server.
 */
export async function checkProtectedResource(probe: Probe): Promise<ProtectedResource> {
  const { origin } = probe.target;
  const url = `${origin}${wellKnownPath}/mcp`;
  const reply = await readMetadata(probe, url, 'protected-resource');
  if ('error' in reply) return { outcome: reply.error };

  const { metadata, finding } = reply;
  const resource = typeof metadata['resource'] === 'string' ? metadata['resource'] : null;
  const audience = `${origin}/mcp`;
  const evidence = { url, resource, audience };
  if (resource !== audience) return { outcome: otherAudience(audience, evidence) };

  const [server] = listOf(metadata['authorization_servers']) ?? [];
  if (server === undefined || !URL.canParse(server)) return { outcome: unnamedServer(evidence) };
  const outcome = passUnless(
    [finding, methods(metadata), scopes(metadata), await checkRootDocument(probe)],
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
    'Clients need authorization_servers (RFC 9728) to continue: is the instance behind this origin orgctx?',
    evidence,
  );
}

function methods(metadata: Metadata): Finding | undefined {
  if (listOf(metadata['bearer_methods_supported'])?.includes('header') !== false) return undefined;
  return {
    message: 'It does not accept tokens in the Authorization header.',
    hint: 'MCP clients send them there only: is the instance behind this origin orgctx?',
  };
}

function scopes(metadata: Metadata): Finding | undefined {
  if (listOf(metadata['scopes_supported'])?.includes('offline_access') !== true) return undefined;
  return {
    message: 'It lists offline_access.',
    hint: 'It is no scope of a resource: is the instance behind this origin orgctx, and is it up to date?',
  };
}

/** Checks the document of the origin, which clients request if they do not find the document of the path. */
async function checkRootDocument(probe: Probe): Promise<Finding | undefined> {
  const reply = await readMetadata(probe, probe.target.origin + wellKnownPath, 'protected-resource');
  if (!('error' in reply)) return undefined;
  return {
    message: `${wellKnownPath} does not answer.`,
    hint: 'Some clients request it: let the reverse proxy pass all of /.well-known/ to orgctx.',
  };
}
