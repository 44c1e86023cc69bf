import { secret, setting } from './setting.ts';
import { anyText, oneOf, plainText, seconds } from './setting-types.ts';
import { httpUrl } from './url-types.ts';

const realProvider = { defaultText: 'the real provider' };

/** The apps of a deployment. No oncall webhook secret: it is made per subscription (specification, settings rule 5). */
export const connectorSettings = {
  TRACKER_CLIENT_ID: setting(plainText, 'deployment-wide tracker OAuth client id'),
  TRACKER_CLIENT_SECRET: secret(plainText, 'its secret, for code exchange and token refresh'),
  TRACKER_REDIRECT_URI: setting(httpUrl, 'exact tracker callback', {
    defaultText: 'AUTH_BASE_URL/api/v1/integrations/tracker/callback',
  }),
  TRACKER_WEBHOOK_SECRET: secret(plainText, 'shared signing secret of tracker webhooks'),
  WEBHOOK_TOLERANCE_TRACKER: setting(seconds(1), 'seconds by which a tracker webhook may be off', {
    fallback: '60',
  }),
  ONCALL_CLIENT_ID: setting(plainText, 'deployment-wide oncall OAuth client id'),
  ONCALL_CLIENT_SECRET: secret(plainText, 'its secret'),
  ONCALL_REDIRECT_URI: setting(httpUrl, 'exact oncall callback', {
    defaultText: 'AUTH_BASE_URL/api/v1/integrations/oncall/callback',
  }),
} as const;

/** Where the providers are, and the Git host. */
export const providerSettings = {
  TRACKER_API_URL: setting(httpUrl, 'tracker API', realProvider),
  TRACKER_AUTHORIZE_URL: setting(httpUrl, 'tracker authorization endpoint', realProvider),
  TRACKER_TOKEN_URL: setting(httpUrl, 'tracker token endpoint', realProvider),
  TRACKER_REVOKE_URL: setting(httpUrl, 'tracker revocation endpoint', realProvider),
  TRACKER_UPLOADS_URL: setting(httpUrl, 'where tracker uploads lie', realProvider),
  ONCALL_AUTHORIZE_URL: setting(httpUrl, 'oncall authorization endpoint', realProvider),
  ONCALL_TOKEN_URL: setting(httpUrl, 'oncall token endpoint', realProvider),
  ONCALL_API_URL_US: setting(httpUrl, 'oncall API of the US region', realProvider),
  ONCALL_API_URL_EU: setting(httpUrl, 'oncall API of the EU region', realProvider),
  ONCALL_WEB_SUFFIX_US: setting(plainText, 'end of oncall page hosts in the US region', realProvider),
  ONCALL_WEB_SUFFIX_EU: setting(plainText, 'end of oncall page hosts in the EU region', realProvider),
  WEBHOOK_TOLERANCE_ONCALL: setting(seconds(1), 'seconds by which an oncall webhook may be off', {
    fallback: '259200',
  }),
  GITHOST_KIND: setting(oneOf('github', 'gitea'), 'kind of the deployment-wide Git host', {
    fallback: 'github',
  }),
  GITHOST_URL: setting(httpUrl, 'pages of the Git host', realProvider),
  GITHOST_API_URL: setting(httpUrl, 'API of the Git host', realProvider),
  GITHOST_APP_ID: setting(plainText, 'id of the deployment-wide Git-host App'),
  GITHOST_APP_SLUG: setting(plainText, 'its slug, for the link to install it'),
  GITHOST_APP_PRIVATE_KEY: secret(anyText, 'its private key, PEM'),
  GITHOST_WEBHOOK_SECRET: secret(plainText, 'its webhook secret'),
  SYNC_INTERVAL: setting(seconds(30), 'seconds between reconciles of connectors and Git hosts', {
    fallback: '900',
  }),
} as const;
