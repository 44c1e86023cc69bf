/** Paths of the authorization server's endpoints. Clients read them from its metadata. */
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

/**
 * Returns the resources that access tokens are valid for: REST at the base URL and MCP below it (specification,
 * Resources).
 */
export function resourcesOf(baseUrl: string): { readonly rest: string; readonly mcp: string } {
  return { rest: baseUrl, mcp: `${baseUrl}/mcp` };
}
