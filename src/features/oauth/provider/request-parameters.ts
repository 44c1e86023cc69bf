import { errors } from 'oidc-provider';
import { visibleLine } from '../../../foundation/kernel/visible-text.ts';
import { firstPartyClientId } from '../first-party-client.ts';
import { supportedScopes } from '../supported.ts';

/** Parameters of one request: OAuth knows some twenty, and the library takes the time of their square. */
const maxParameters = 50;

/** Bytes of one value that is kept until a person has decided; `state` comes from the client and goes back to it. */
const maxBytes = { state: 4_096, others: 2_048 } as const;

/** What OpenID Connect lets a client say and nothing here asks for. */
const unused = [
  'acr_values',
  'claims',
  'claims_locales',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'ui_locales',
];

/**
 * The parameters of a query or a form.
 * @throws errors.InvalidRequest for more than any client sends, before a single one is read
 */
export function parseParameters(text: string): URLSearchParams {
  let ends = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    ends += 1;
    if (ends >= maxParameters)
      throw new errors.InvalidRequest(`more than ${maxParameters} parameters were sent`);
  }
  return new URLSearchParams(text);
}

/**
 * Parameters as the library is to read them: resources without their query, once each; unknown values stay, to be
 * refused by it.
 */
export function withPlainResources(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  const resources = parameters.getAll('resource');
  parameters.delete('resource');
  for (const resource of new Set(resources.map((each) => plainResource(each, baseUrl)))) {
    parameters.append('resource', resource);
  }
  return parameters;
}

/** Contract section 4: compared without query; the base URL is the same with and without its slash. */
function plainResource(resource: string, baseUrl: string): string {
  const url = URL.parse(resource);
  if (url === null || url.hash !== '' || resource.endsWith('#') || url.origin !== baseUrl) return resource;
  return url.username === '' && url.password === '' ? url.origin + url.pathname.replace(/\/$/, '') : resource;
}

/**
 * The parameters that a device begins an authorization with: there is no redirect that a `state` would go along with.
 * @throws errors.InvalidRequest for a value that is too long
 */
export function withDeviceDefaults(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  parameters.delete('state');
  return withAuthorizationDefaults(parameters, baseUrl);
}

/**
 * The parameters that begin an authorization, those that are kept until a person has decided. Whoever asks for none of
 * our scopes gets `mcp` (contract section 4), and `offline_access` is no scope of its own; scopes of others are passed
 * over (RFC 6749 section 3.3), as OpenID libraries always send some. The answer always goes into the query: form_post
 * would need a script, a fragment is for tokens.
 * @throws errors.InvalidRequest for a value that is too long
 */
export function withAuthorizationDefaults(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  for (const name of unused) parameters.delete(name);
  refuseLongValues(parameters);
  withPlainResources(parameters, baseUrl);
  // Names that the library knows nothing of: it refuses them, and answers in the query.
  const mode = single(parameters, 'response_mode');
  if (mode !== undefined && mode !== 'query') parameters.set('response_mode', 'unsupported');
  const type = single(parameters, 'response_type');
  if (type !== undefined && type !== '' && type !== 'code') parameters.set('response_type', 'unsupported');
  const scope = parameters.has('scope') ? single(parameters, 'scope') : '';
  if (scope !== undefined) parameters.set('scope', askedScopes(scope, single(parameters, 'client_id')));
  return parameters;
}

function refuseLongValues(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    const most = name === 'state' ? maxBytes.state : maxBytes.others;
    if (Buffer.byteLength(value) > most) throw tooLong(name, most);
  }
}

function tooLong(name: string, most: number): errors.InvalidRequest {
  return new errors.InvalidRequest(`${visibleLine(name.slice(0, 50))} must not be longer than ${most} bytes`);
}

/** RFC 6749 section 3.3, `scope-token`; what is none is left for the library to refuse. */
const scopeCharacters = /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/;

function askedScopes(scope: string, clientId: string | undefined): string {
  if (!scopeCharacters.test(scope)) return scope;
  const asked = scope.split(' ').filter((each) => each !== '');
  const known = asked.filter((each) => (supportedScopes as readonly string[]).includes(each));
  if (known.some((each) => each !== 'offline_access')) return known.join(' ');
  return [clientId === firstPartyClientId ? 'api' : 'mcp', ...known].join(' ');
}

/** `undefined` for none and for several: those the library refuses. */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
