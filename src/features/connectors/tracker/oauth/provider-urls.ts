/** The URLs of Linear, which are the defaults of the settings. */
export const linearUrls = {
  TRACKER_API_URL: 'https://api.linear.app/graphql',
  TRACKER_AUTHORIZE_URL: 'https://linear.app/oauth/authorize',
  TRACKER_TOKEN_URL: 'https://api.linear.app/oauth/token',
  TRACKER_REVOKE_URL: 'https://api.linear.app/oauth/revoke',
  TRACKER_UPLOADS_URL: 'https://uploads.linear.app',
} as const;

/** Returns the setting of a URL of the provider. */
export function providerUrl(
  values: Readonly<Record<string, unknown>>,
  name: keyof typeof linearUrls,
): string {
  return String(values[name]);
}
