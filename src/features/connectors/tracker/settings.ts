import { addressSettings, connectorSettings, type SettingValues } from '../port.ts';

/** The URLs of Linear, which are the defaults of the settings. */
export const linearUrls = {
  TRACKER_API_URL: 'https://api.linear.app/graphql',
  TRACKER_AUTHORIZE_URL: 'https://linear.app/oauth/authorize',
  TRACKER_TOKEN_URL: 'https://api.linear.app/oauth/token',
  TRACKER_REVOKE_URL: 'https://api.linear.app/oauth/revoke',
  TRACKER_UPLOADS_URL: 'https://uploads.linear.app',
} as const;

/** The tolerance counts in both directions, as in the provider's own client. */
export const trackerSettings = connectorSettings('tracker', {
  clientSecret: 'secret of TRACKER_CLIENT_ID, for code exchange and token refresh',
  webhookSecret: 'shared signing secret of tracker webhooks',
  webhook: 'a tracker webhook',
  toleranceSeconds: 60,
  further: addressSettings(linearUrls, {
    TRACKER_API_URL: 'tracker API',
    TRACKER_AUTHORIZE_URL: 'tracker authorization endpoint',
    TRACKER_TOKEN_URL: 'tracker token endpoint',
    TRACKER_REVOKE_URL: 'tracker revocation endpoint',
    TRACKER_UPLOADS_URL: 'URL of tracker uploads',
  }),
});

export function providerUrl(values: SettingValues, name: keyof typeof linearUrls): string {
  return String(values[name]);
}
