import { secret, setting } from '../../../foundation/config/settings/setting.ts';
import { plainText, seconds } from '../../../foundation/config/settings/setting-types.ts';
import { httpUrl } from '../../../foundation/config/settings/url-types.ts';
import { connectorSettings, type SettingValues } from '../port.ts';

/** The URLs of Linear, which are the defaults of the settings. */
export const linearUrls = {
  TRACKER_API_URL: 'https://api.linear.app/graphql',
  TRACKER_AUTHORIZE_URL: 'https://linear.app/oauth/authorize',
  TRACKER_TOKEN_URL: 'https://api.linear.app/oauth/token',
  TRACKER_REVOKE_URL: 'https://api.linear.app/oauth/revoke',
  TRACKER_UPLOADS_URL: 'https://uploads.linear.app',
} as const;

const linearUrl = (name: keyof typeof linearUrls, description: string) =>
  setting(httpUrl, description, { fallback: linearUrls[name] });

const table = {
  TRACKER_CLIENT_ID: setting(plainText, 'deployment-wide tracker OAuth client id'),
  TRACKER_CLIENT_SECRET: secret(
    plainText,
    'secret of TRACKER_CLIENT_ID, for code exchange and token refresh',
  ),
  TRACKER_REDIRECT_URI: setting(httpUrl, 'exact tracker callback', {
    defaultText: 'AUTH_BASE_URL/api/v1/integrations/tracker/callback',
    derivedDefault: ({ baseUrl }) => `${baseUrl}/api/v1/integrations/tracker/callback`,
  }),
  TRACKER_WEBHOOK_SECRET: secret(plainText, 'shared signing secret of tracker webhooks'),
  WEBHOOK_TOLERANCE_TRACKER: setting(
    seconds(1),
    'maximum deviation of the time of a tracker webhook, in seconds',
    { fallback: '60' },
  ),
  TRACKER_API_URL: linearUrl('TRACKER_API_URL', 'tracker API'),
  TRACKER_AUTHORIZE_URL: linearUrl('TRACKER_AUTHORIZE_URL', 'tracker authorization endpoint'),
  TRACKER_TOKEN_URL: linearUrl('TRACKER_TOKEN_URL', 'tracker token endpoint'),
  TRACKER_REVOKE_URL: linearUrl('TRACKER_REVOKE_URL', 'tracker revocation endpoint'),
  TRACKER_UPLOADS_URL: linearUrl('TRACKER_UPLOADS_URL', 'URL of tracker uploads'),
} as const;

/** The tolerance counts in both directions, as in the provider's own client. */
export const trackerSettings = connectorSettings(table, (values) => {
  const toleranceMs = (values.WEBHOOK_TOLERANCE_TRACKER ?? 60) * 1_000;
  return {
    clientId: values.TRACKER_CLIENT_ID,
    clientSecret: values.TRACKER_CLIENT_SECRET,
    redirectUri: values.TRACKER_REDIRECT_URI,
    webhookSecret: values.TRACKER_WEBHOOK_SECRET,
    tolerance: { pastMs: toleranceMs, futureMs: toleranceMs },
  };
});

export function providerUrl(values: SettingValues, name: keyof typeof linearUrls): string {
  return String(values[name]);
}
