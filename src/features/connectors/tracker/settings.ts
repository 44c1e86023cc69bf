import { secret, setting } from '../../../foundation/config/settings/setting.ts';
import { plainText, seconds } from '../../../foundation/config/settings/setting-types.ts';
import { httpUrl } from '../../../foundation/config/settings/url-types.ts';
import { connectorSettings, type SettingValues } from '../port.ts';

const url = (description: string, fallback: string) => setting(httpUrl, description, { fallback });

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
  TRACKER_API_URL: url('tracker API', 'https://api.linear.app/graphql'),
  TRACKER_AUTHORIZE_URL: url('tracker authorization endpoint', 'https://linear.app/oauth/authorize'),
  TRACKER_TOKEN_URL: url('tracker token endpoint', 'https://api.linear.app/oauth/token'),
  TRACKER_REVOKE_URL: url('tracker revocation endpoint', 'https://api.linear.app/oauth/revoke'),
  TRACKER_UPLOADS_URL: url('URL of tracker uploads', 'https://uploads.linear.app'),
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

export function providerUrl(values: SettingValues, name: keyof typeof table): string {
  return String(values[name]);
}

/** Returns the origin of the files that were uploaded to the provider. */
export function uploadsOriginOf(values: SettingValues): string {
  return new URL(providerUrl(values, 'TRACKER_UPLOADS_URL')).origin;
}
