import { jsonObject, type Probe, redirected, send } from '../probe.ts';
import { type CheckOutcome, fail, pass } from '../report.ts';

const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const;

/**
 * specification, check "Authorization server": RFC 8414 metadata exposes authorization, token and registration
 * endpoints. The server is the one that the protected resource names; one of another origin is no orgctx.
 */
export async function checkAuthorizationServer(probe: Probe, issuer: string): Promise<CheckOutcome> {
  if (new URL(issuer).origin !== probe.target.origin) {
    return fail(
      'The authorization server lies at another origin than the target.',
      'orgctx is its own authorization server: set AUTH_BASE_URL to the origin that clients see.',
      { issuer },
    );
  }
  const url = wellKnown(issuer);
  const reply = await send(probe, { url, headers: { accept: 'application/json' } });
  if ('fault' in reply) return reply.fault;
  const redirect = redirected(reply.response);
  if (redirect !== undefined) return redirect;

  const evidence = { url, status: reply.response.status };
  const metadata = reply.response.status === 200 ? jsonObject(reply.response) : undefined;
  if (metadata === undefined) {
    return fail(
      `No authorization-server metadata (${reply.response.status}).`,
      'Clients cannot sign in by OAuth here; API keys work. Route /.well-known/ to orgctx, or upgrade it.',
      evidence,
    );
  }
  return judge(metadata, issuer, evidence);
}

function judge(
  metadata: Readonly<Record<string, unknown>>,
  issuer: string,
  evidence: { url: string; status: number },
): CheckOutcome {
  if (metadata['issuer'] !== issuer) {
    return fail(
      'The issuer of the metadata differs from the one that the protected resource names.',
      'Both come from AUTH_BASE_URL and must be equal to the letter (RFC 8414 section 3.3).',
      { ...evidence, issuer: textOf(metadata['issuer']), expected: issuer },
    );
  }
  const missing = endpoints.filter((name) => !URL.canParse(textOf(metadata[name])));
  if (missing.length === 0) return pass('The metadata names every endpoint that clients need.', evidence);
  const hint = missing.includes('registration_endpoint')
    ? 'Without a registration endpoint dynamic client registration cannot proceed.'
    : 'Is the instance behind this origin orgctx, and is it up to date?';
  return fail(`The metadata lacks ${missing.join(', ')}.`, hint, evidence);
}

/** Members of another type name nothing. */
function textOf(member: unknown): string {
  return typeof member === 'string' ? member : '';
}

/** RFC 8414 section 3.1: the well-known part goes between the host and the issuer's path. */
function wellKnown(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
}
