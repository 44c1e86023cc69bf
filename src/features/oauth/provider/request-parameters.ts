import { errors } from 'oidc-provider';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { firstPartyClientId } from '../first-party-client.ts';
import { supportedScopes } from '../supported.ts';

/** Maximum number of parameters of a request. OAuth defines about twenty, and the library needs quadratic time. */
const maxParameters = 50;

/** Maximum size of a value that is stored until the user decides, in bytes. `state` is returned to the client. */
const maxBytes = { state: 4_096, others: 2_048 } as const;

/** OpenID Connect parameters that have no effect here. */
const ignoredParameters = [
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
 * Parses the parameters of a query or a form.
 * @throws errors.InvalidRequest for too many parameters, before any is parsed
 */
export function parseParameters(text: string): URLSearchParams {
  let separators = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    separators += 1;
    if (separators >= maxParameters)
      throw new errors.InvalidRequest(`more than ${maxParameters} parameters were sent`);
  }
  return new URLSearchParams(text);
}

/**
 * Normalizes the resources: removes their query and duplicates. Unknown values stay, so that the library refuses them.
 */
export function withPlainResources(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  const resources = parameters.getAll('resource');
  parameters.delete('resource');
  for (const resource of new Set(resources.map((each) => plainResource(each, baseUrl)))) {
    parameters.append('resource', resource);
  }
  return parameters;
}

/** Removes query and trailing slash: resources are compared without them (contract section 4). */
function plainResource(resource: string, baseUrl: string): string {
  const url = URL.parse(resource);
  if (url === null || url.hash !== '' || resource.endsWith('#') || url.origin !== baseUrl) return resource;
  return url.username === '' && url.password === '' ? url.origin + url.pathname.replace(/\/$/, '') : resource;
}

/**
 * Normalizes the parameters of a device authorization. Removes `state`, because there is no redirect to return it with.
 * @throws errors.InvalidRequest for a value that is too long
 */
export function withDeviceDefaults(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  parameters.delete('state');
  return withAuthorizationDefaults(parameters, baseUrl);
}

/**
 * Normalizes the parameters of an authorization request, which are stored until the user decides. A request for none of
 * our scopes gets `mcp` (contract section 4); `offline_access` alone does not count. Unknown scopes are ignored (RFC
 * 6749 section 3.3), because OpenID libraries always send them. The response always uses the query: form_post would
 * need a script, and fragments are for tokens.
 * @throws errors.InvalidRequest for a value that is too long
 */
export function withAuthorizationDefaults(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  for (const name of ignoredParameters) parameters.delete(name);
  refuseLongValues(parameters);
  withPlainResources(parameters, baseUrl);
  // The library refuses these unknown names and sends the error in the query.
  const mode = single(parameters, 'response_mode');
  if (mode !== undefined && mode !== 'query') parameters.set('response_mode', 'unsupported');
  const type = single(parameters, 'response_type');
  if (type !== undefined && type !== '' && type !== 'code') parameters.set('response_type', 'unsupported');
  const scope = parameters.has('scope') ? single(parameters, 'scope') : '';
  if (scope !== undefined) parameters.set('scope', requestedScopes(scope, single(parameters, 'client_id')));
  return parameters;
}

function refuseLongValues(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    const max = name === 'state' ? maxBytes.state : maxBytes.others;
    if (Buffer.byteLength(value) > max) throw tooLong(name, max);
  }
}

function tooLong(name: string, max: number): errors.InvalidRequest {
  return new errors.InvalidRequest(`${visibleLine(name.slice(0, 50))} must not be longer than ${max} bytes`);
}

/** Characters of scopes (RFC 6749 section 3.3, `scope-token`). The library refuses other values. */
const scopeCharacters = /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/;

function requestedScopes(scope: string, clientId: string | undefined): string {
  if (!scopeCharacters.test(scope)) return scope;
  const requested = scope.split(' ').filter((each) => each !== '');
  const known = requested.filter((each) => (supportedScopes as readonly string[]).includes(each));
  if (known.some((each) => each !== 'offline_access')) return known.join(' ');
  return [clientId === firstPartyClientId ? 'api' : 'mcp', ...known].join(' ');
}

/** Returns the value of a parameter; `undefined` if there is none or several, which the library refuses. */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
