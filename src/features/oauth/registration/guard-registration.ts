import { errors } from 'oidc-provider';
import { z } from 'zod';
import {
  type ClientAuthMethod,
  deviceGrant,
  type GrantType,
  supportedAuthMethods,
  supportedGrantTypes,
} from '../supported.ts';
import type { ClientMetadata } from './client-metadata.ts';
import { cleanClientName } from './client-name.ts';
import { inspectRedirectUri, type RedirectKind } from './redirect-uri.ts';

const grantTypes: readonly string[] = supportedGrantTypes;
const authMethods: readonly string[] = supportedAuthMethods;

/** Redirect URIs that one client may have. */
const maxRedirectUris = 20;

/** What is read at all; a field that is null counts as not given (RFC 7591 section 2.2 leaves it open). */
const given = z.object({
  redirect_uris: z.array(z.string()).max(maxRedirectUris).nullish(),
  grant_types: z.array(z.string().max(200)).max(20).nullish(),
  response_types: z.array(z.string().max(200)).max(20).nullish(),
  token_endpoint_auth_method: z.string().max(200).nullish(),
  client_name: z.string().nullish(),
  client_uri: z.unknown().optional(),
});

type Given = z.infer<typeof given>;

/**
 * Decides what of a registration (RFC 7591) is kept. It makes new metadata out of the few fields that are known here:
 * a client id, URLs that somebody would fetch or show (`jwks_uri`, `logo_uri`, …) and software statements are passed
 * over, as section 2 lets a server do. So is `scope`: clients name what they need first, and would be refused when they
 * need more (MCP, step-up authorization); each authorization is of what it asks for. The application type follows from
 * the redirect URIs, whatever was said: many clients say nothing, and would then be refused as `web`.
 * @throws errors.InvalidClientMetadata, as `invalid_redirect_uri` where those are at fault.
 */
export function guardRegistration(body: unknown): ClientMetadata {
  const fields = parse(body);
  const grants = judgeGrantTypes(fields);
  const redirects = judgeRedirectUris(fields, grants);
  return {
    ...optional('client_name', cleanClientName(fields.client_name ?? '')),
    ...optional('client_uri', httpsUrl(fields.client_uri)),
    application_type: applicationType(redirects),
    redirect_uris: redirects.map(({ uri }) => uri),
    grant_types: grants,
    response_types: grants.includes('authorization_code') ? (['code'] as const) : [],
    token_endpoint_auth_method: judgeAuthMethod(fields),
  };
}

function parse(body: unknown): Given {
  const parsed = given.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  if (field === undefined) throw refused('client metadata must be a JSON object');
  if (field === 'redirect_uris') throw refused(`redirect_uris must be at most ${maxRedirectUris} strings`);
  throw refused(`${String(field)} is not of the type or length that RFC 7591 section 2 gives it`);
}

/** Every grant type that no endpoint here answers is refused, so that nobody waits for one. */
function judgeGrantTypes({ grant_types, response_types }: Given): readonly GrantType[] {
  const asked = [...new Set(grant_types ?? ['authorization_code', 'refresh_token'])];
  if (!asked.every((type) => grantTypes.includes(type))) {
    throw refused(`grant_types can only contain ${grantTypes.join(', ')}`);
  }
  if (!asked.some((type) => type !== 'refresh_token')) {
    throw refused(`grant_types must contain authorization_code or ${deviceGrant}`);
  }
  if (response_types?.some((type) => type !== 'code') === true) {
    throw refused('response_types can only contain code');
  }
  return asked as GrantType[];
}

interface Redirect {
  readonly uri: string;
  readonly kind: RedirectKind;
}

function judgeRedirectUris({ redirect_uris }: Given, grants: readonly GrantType[]): readonly Redirect[] {
  const redirects = [...new Set(redirect_uris ?? [])].map((uri) => {
    const verdict = inspectRedirectUri(uri);
    if ('fault' in verdict) throw refused(`redirect_uris ${verdict.fault}`);
    return { uri, kind: verdict.kind };
  });
  if (redirects.length === 0 && grants.includes('authorization_code')) {
    throw refused('redirect_uris must name where the answer of an authorization is sent to');
  }
  return redirects;
}

/**
 * The library lets native clients alone have private-use schemes, and web clients alone https to this machine. The rule
 * of loopback ports holds for both (`allow-loopback-ports.ts`).
 */
function applicationType(redirects: readonly Redirect[]): 'native' | 'web' {
  const kinds = redirects.map(({ kind }) => kind);
  return kinds.includes('app') || kinds.every((kind) => kind === 'loopback') ? 'native' : 'web';
}

/** Absent means Basic (RFC 7591 section 2). */
function judgeAuthMethod({ token_endpoint_auth_method: method }: Given): ClientAuthMethod {
  const chosen = method ?? 'client_secret_basic';
  if (authMethods.includes(chosen)) return chosen as ClientAuthMethod;
  throw refused(`token_endpoint_auth_method must be one of ${authMethods.join(', ')}`);
}

/** For people only, so anything else than a plain https URL is left out without a word. */
function httpsUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2_048) return undefined;
  const url = URL.parse(value);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

function refused(description: string): errors.InvalidClientMetadata {
  return new errors.InvalidClientMetadata(description);
}

function optional<Field extends string>(field: Field, value: string | undefined): { [F in Field]?: string } {
  return value === undefined ? {} : ({ [field]: value } as { [F in Field]: string });
}
