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

/** Maximum number of redirect URIs of a client. */
const maxRedirectUris = 20;

/** Maximum size of the stored metadata of a client, in bytes. Those of known clients need less than 1,000. */
const maxMetadataBytes = 8_192;

/** The supported fields. A null field counts as absent (RFC 7591 section 2.2 does not define it). */
const registrationShape = z.object({
  redirect_uris: z.array(z.string()).max(maxRedirectUris).nullish(),
  grant_types: z.array(z.string().max(200)).max(20).nullish(),
  response_types: z.array(z.string().max(200)).max(20).nullish(),
  token_endpoint_auth_method: z.string().max(200).nullish(),
  client_name: z.string().nullish(),
  client_uri: z.unknown().optional(),
});

type RegistrationFields = z.infer<typeof registrationShape>;

/**
 * Validates a registration (RFC 7591) and builds new metadata from the few supported fields. Ignores a client id, URLs
 * that would be fetched or displayed (`jwks_uri`, `logo_uri`, …) and software statements, as section 2 allows. Also
 * ignores `scope`: clients register the scopes that they need first, and would be refused when they need more (MCP,
 * step-up authorization). Each authorization has the scopes that it requests. The application type is derived from the
 * redirect URIs, not from the request: many clients omit it and would then be refused as `web`.
 * @throws errors.InvalidClientMetadata, with the code `invalid_redirect_uri` for invalid redirect URIs
 */
export function guardRegistration(body: unknown): ClientMetadata {
  const fields = parse(body);
  const grants = checkGrantTypes(fields);
  const redirects = checkRedirectUris(fields, grants);
  const metadata: ClientMetadata = {
    ...optional('client_name', cleanClientName(fields.client_name ?? '')),
    ...optional('client_uri', httpsUrl(fields.client_uri)),
    application_type: applicationType(redirects),
    redirect_uris: redirects.map(({ uri }) => uri),
    grant_types: grants,
    response_types: grants.includes('authorization_code') ? (['code'] as const) : [],
    token_endpoint_auth_method: checkAuthMethod(fields),
  };
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes) {
    throw refused(
      `client metadata must not be longer than ${maxMetadataBytes} bytes: register fewer or shorter redirect_uris`,
    );
  }
  return metadata;
}

function parse(body: unknown): RegistrationFields {
  const parsed = registrationShape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  if (field === undefined) throw refused('client metadata must be a JSON object');
  if (field === 'redirect_uris') throw refused(`redirect_uris must be at most ${maxRedirectUris} strings`);
  throw refused(`${String(field)} does not have the type or length that RFC 7591 section 2 defines`);
}

/** Refuses unsupported grant types, so that no client relies on one. */
function checkGrantTypes({ grant_types, response_types }: RegistrationFields): readonly GrantType[] {
  const requested = [...new Set(grant_types ?? ['authorization_code', 'refresh_token'])];
  if (!requested.every((type) => grantTypes.includes(type))) {
    throw refused(`grant_types can only contain ${grantTypes.join(', ')}`);
  }
  if (!requested.some((type) => type !== 'refresh_token')) {
    throw refused(`grant_types must contain authorization_code or ${deviceGrant}`);
  }
  if (response_types?.some((type) => type !== 'code') === true) {
    throw refused('response_types can only contain code');
  }
  return requested as GrantType[];
}

interface Redirect {
  readonly uri: string;
  readonly kind: RedirectKind;
}

function checkRedirectUris(
  { redirect_uris }: RegistrationFields,
  grants: readonly GrantType[],
): readonly Redirect[] {
  const redirects = [...new Set(redirect_uris ?? [])].map((uri) => {
    const result = inspectRedirectUri(uri);
    if ('error' in result) throw refused(`redirect_uris ${result.error}`);
    return { uri, kind: result.kind };
  });
  if (redirects.length === 0 && grants.includes('authorization_code')) {
    throw refused('redirect_uris must contain a URI for the authorization response');
  }
  return redirects;
}

/**
 * Derives the application type. The library allows private-use schemes for native clients only, and https URIs with
 * localhost for web clients only. The rule of loopback ports applies to both (`allow-loopback-ports.ts`).
 */
function applicationType(redirects: readonly Redirect[]): 'native' | 'web' {
  const kinds = redirects.map(({ kind }) => kind);
  return kinds.includes('app') || kinds.every((kind) => kind === 'loopback') ? 'native' : 'web';
}

/** Returns the authentication method. Default: HTTP Basic (RFC 7591 section 2). */
function checkAuthMethod({ token_endpoint_auth_method: method }: RegistrationFields): ClientAuthMethod {
  const chosen = method ?? 'client_secret_basic';
  if (authMethods.includes(chosen)) return chosen as ClientAuthMethod;
  throw refused(`token_endpoint_auth_method must be one of ${authMethods.join(', ')}`);
}

/** Returns a plain https URL; other values are dropped without an error, because the URL is only displayed. */
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
