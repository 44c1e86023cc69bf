/** What a client may ask for. `offline_access` is accepted and gives nothing: refresh tokens follow the client's grants. */
export const supportedScopes = ['mcp', 'api', 'offline_access'] as const;

/** RFC 8628 section 3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const supportedGrantTypes = ['authorization_code', 'refresh_token', deviceGrant] as const;

/** How a client authenticates at the endpoints that it calls itself. */
export const supportedAuthMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export type GrantType = (typeof supportedGrantTypes)[number];

export type ClientAuthMethod = (typeof supportedAuthMethods)[number];
