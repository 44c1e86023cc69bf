import { oauthScopes } from '../endpoints.ts';
import { firstPartyClientId } from '../first-party-client.ts';

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
 * The parameters that begin an authorization. Whoever asks for none of our scopes gets `mcp` (contract section 4), and
 * `offline_access` is no scope of its own; scopes of others are passed over, unless there is nothing else. The answer
 * always goes into the query: form_post would need a script, a fragment is for tokens.
 */
export function withAuthorizationDefaults(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
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

function askedScopes(scope: string, clientId: string | undefined): string {
  const asked = scope.split(' ').filter((each) => each !== '');
  const known = asked.filter((each) => (oauthScopes as readonly string[]).includes(each));
  if (known.some((each) => each !== 'offline_access')) return known.join(' ');
  const unknown = asked.length > known.length && known.length === 0;
  if (unknown) return scope;
  return [clientId === firstPartyClientId ? 'api' : 'mcp', ...known].join(' ');
}

/** `undefined` for none and for several: those the library refuses. */
function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
