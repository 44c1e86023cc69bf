import { secret, setting } from '../../../foundation/config/settings/setting.ts';
import { plainText, seconds } from '../../../foundation/config/settings/setting-types.ts';
import { httpUrl } from '../../../foundation/config/settings/url-types.ts';
import { connectorSettings } from '../port.ts';
import { linearUrls } from './oauth/provider-urls.ts';

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
  TRACKER_API_URL: setting(httpUrl, 'tracker API', { fallback: linearUrls.TRACKER_API_URL }),
  TRACKER_AUTHORIZE_URL: setting(httpUrl, 'tracker authorization endpoint', {
    fallback: linearUrls.TRACKER_AUTHORIZE_URL,
  }),
  TRACKER_TOKEN_URL: setting(httpUrl, 'tracker token endpoint', { fallback: linearUrls.TRACKER_TOKEN_URL }),
  TRACKER_REVOKE_URL: setting(httpUrl, 'tracker revocation endpoint', {
    fallback: linearUrls.TRACKER_REVOKE_URL,
  }),
  TRACKER_UPLOADS_URL: setting(httpUrl, 'URL of tracker uploads', {
    fallback: linearUrls.TRACKER_UPLOADS_URL,
  }),
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
