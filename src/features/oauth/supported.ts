/**
 * Scopes that a client may request. `offline_access` has no effect: refresh tokens depend on the client's grant types.
 */
export const supportedScopes = ['mcp', 'api', 'offline_access'] as const;

/** The grant type of the device flow (RFC 8628 section 3.4). */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const supportedGrantTypes = ['authorization_code', 'refresh_token', deviceGrant] as const;

/** Methods of client authentication at the token and revocation endpoints. */
export const supportedAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export type GrantType = (typeof supportedGrantTypes)[number];

export type ClientAuthMethod = (typeof supportedAuthMethods)[number];
