import { type Finding, passUnless } from '../findings.ts';
import { listOf, type Metadata, readMetadata } from '../metadata-document.ts';
import type { Probe } from '../probe.ts';
import { type CheckOutcome, type Evidence, fail } from '../report.ts';

const endpoints = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const;

/**
 * Checks that RFC 8414 metadata exposes authorization, token and registration
 * endpoints. The protected resource names the server; a server at another origin is not orgctx.
 */
export async function checkAuthorizationServer(probe: Probe, issuer: string): Promise<CheckOutcome> {
  const { origin } = probe.target;
  if (new URL(issuer).origin !== origin) {
    return fail(
      'The authorization server has another origin than the target.',
      'orgctx is its own authorization server: set AUTH_BASE_URL to the origin that clients see.',
      { issuer },
    );
  }
  const url = wellKnown(issuer);
  const reply = await readMetadata(probe, url, 'authorization-server');
  if ('error' in reply) return reply.error;
  const { metadata, finding } = reply;
  const evidence = { url, issuer: stringOf(metadata['issuer']), ...endpointsOf(metadata) };
  return (
    findFailure(metadata, { issuer, origin, evidence }) ??
    passUnless(
      [finding, namesIssuer(metadata), offersRefreshTokens(metadata), acceptsPublicClients(metadata)],
      'The metadata names every endpoint that clients need.',
      evidence,
    )
  );
}

/** RFC 8414 section 3.1: the well-known part goes between the host and the issuer's path. */
function wellKnown(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
}

interface Expected {
  readonly issuer: string;
  readonly origin: string;
  readonly evidence: Evidence;
}

/** Returns the first problem that prevents a client from signing in. */
function findFailure(metadata: Metadata, { issuer, origin, evidence }: Expected): CheckOutcome | undefined {
  if (metadata['issuer'] !== issuer) return otherIssuer(issuer, evidence);
  const missing = endpoints.filter((name) => !URL.canParse(stringOf(metadata[name])));
  if (missing.length > 0) return missingEndpoints(missing, evidence);
  const foreign = endpoints.filter((name) => new URL(stringOf(metadata[name])).origin !== origin);
  if (foreign.length > 0) return foreignEndpoints(foreign, evidence);
  return withoutCode(metadata, evidence) ?? withoutPkce(metadata, evidence);
}

function otherIssuer(issuer: string, evidence: Evidence): CheckOutcome {
  return fail(
    'The issuer of the metadata differs from the one that the protected resource names.',
    'Both come from AUTH_BASE_URL and must be equal character by character, including a trailing slash (RFC 8414 section 3.3).',
    { ...evidence, expectedIssuer: issuer },
  );
}

function missingEndpoints(missing: readonly (typeof endpoints)[number][], evidence: Evidence): CheckOutcome {
  const hint = missing.includes('registration_endpoint')
    ? 'Without a registration endpoint dynamic client registration cannot proceed.'
    : 'Without them nobody can sign in: is the instance behind this origin orgctx, and is it up to date?';
  return fail(`The metadata lacks ${missing.join(', ')}.`, hint, evidence);
}

function foreignEndpoints(names: readonly string[], evidence: Evidence): CheckOutcome {
  return fail(
    `These endpoints have another origin than the target: ${names.join(', ')}.`,
    'Clients cannot reach it, or must not trust it: set AUTH_BASE_URL to the origin that clients see.',
    evidence,
  );
}

function withoutCode(metadata: Metadata, evidence: Evidence): CheckOutcome | undefined {
  const types = listOf(metadata['response_types_supported']);
  const grants = listOf(metadata['grant_types_supported']);
  if (types?.includes('code') !== false && grants?.includes('authorization_code') !== false) return undefined;
  return fail(
    'The metadata does not offer the authorization code flow.',
    'MCP clients support no other flow in a browser: is the instance behind this origin orgctx?',
    evidence,
  );
}

/** MCP authorization, "Authorization Code Protection": clients refuse a server that does not advertise S256. */
function withoutPkce(metadata: Metadata, evidence: Evidence): CheckOutcome | undefined {
  const methods = listOf(metadata['code_challenge_methods_supported']) ?? [];
  if (methods.includes('S256')) return undefined;
  return fail(
    'The metadata does not offer PKCE with S256.',
    'MCP clients refuse to sign in without code_challenge_methods_supported naming S256: upgrade the instance.',
    { ...evidence, codeChallengeMethods: methods.join(' ') },
  );
}

/** Checks that responses name the issuer (RFC 9207 section 2.3). */
function namesIssuer(metadata: Metadata): Finding | undefined {
  if (metadata['authorization_response_iss_parameter_supported'] === true) return undefined;
  return {
    message: 'Responses of the authorization endpoint do not name the issuer.',
    hint: 'Without iss, clients cannot detect a mix-up of servers (RFC 9207): upgrade the instance.',
  };
}

function offersRefreshTokens(metadata: Metadata): Finding | undefined {
  if (listOf(metadata['grant_types_supported'])?.includes('refresh_token') !== false) return undefined;
  return {
    message: 'There are no refresh tokens.',
    hint: 'People will have to sign in again whenever a token expires: upgrade the instance.',
  };
}

function acceptsPublicClients(metadata: Metadata): Finding | undefined {
  if (listOf(metadata['token_endpoint_auth_methods_supported'])?.includes('none') !== false) return undefined;
  return {
    message: 'Clients without a secret are not accepted.',
    hint: 'Editors and terminals have no client secret: is the instance behind this origin orgctx?',
  };
}

function endpointsOf(metadata: Metadata): Record<string, string | null> {
  return Object.fromEntries(endpoints.map((name) => [name, stringOf(metadata[name]) || null]));
}

/** Returns the member if it is a string, else an empty string. */
function stringOf(member: unknown): string {
  return typeof member === 'string' ? member : '';
}
