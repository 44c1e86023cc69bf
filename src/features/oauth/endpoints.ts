/** Where the authorization server answers. Clients learn the paths from its metadata. */
export const oauthPaths = {
  authorize: '/.auth/authorize',
  token: '/.auth/token',
  register: '/.auth/register',
  revoke: '/.auth/revoke',
  jwks: '/.auth/jwks',
  deviceAuthorization: '/.auth/device-authorization',
  device: '/.auth/device',
  deviceDone: '/.auth/device/done',
  interaction: '/.auth/interaction',
} as const;

/** What a client may ask for. `offline_access` is accepted and gives nothing: refresh tokens follow the client's grants. */
export const oauthScopes = ['mcp', 'api', 'offline_access'] as const;

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** What access tokens are good for: REST at the base URL and MCP below it (specification, Resources). */
export function resourcesOf(baseUrl: string): { readonly rest: string; readonly mcp: string } {
  return { rest: baseUrl, mcp: `${baseUrl}/mcp` };
}

/**
 * RFC 8414 metadata, also served as that of OpenID discovery, which many clients ask for too: the last three fields are
 * those that its readers insist on.
 */
export function serverMetadata(baseUrl: string): Readonly<Record<string, unknown>> {
  const authMethods = ['none', 'client_secret_basic', 'client_secret_post'];
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + oauthPaths.authorize,
    token_endpoint: baseUrl + oauthPaths.token,
    registration_endpoint: baseUrl + oauthPaths.register,
    revocation_endpoint: baseUrl + oauthPaths.revoke,
    device_authorization_endpoint: baseUrl + oauthPaths.deviceAuthorization,
    jwks_uri: baseUrl + oauthPaths.jwks,
    scopes_supported: [...oauthScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    // RFC 9207: every answer of the authorization endpoint names the issuer.
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: Object.values(resourcesOf(baseUrl)),
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: ['sub'],
  };
}
