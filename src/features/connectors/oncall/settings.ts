import { secret, setting } from '../../../foundation/config/settings/setting.ts';
import { plainText, seconds } from '../../../foundation/config/settings/setting-types.ts';
import { httpUrl } from '../../../foundation/config/settings/url-types.ts';
import { connectorSettings } from '../port.ts';
import { pagerdutyPlaces } from './client/region.ts';

/** Maximum time of an event in the future, in milliseconds. The past is longer: the provider retries for two days. */
const futureMs = 5 * 60_000;

const pagerdutyUrl = (name: keyof typeof pagerdutyPlaces, description: string) =>
  setting(httpUrl, description, { fallback: pagerdutyPlaces[name] });

/** There is no webhook secret: one is created per subscription (specification, settings rule 5). */
const table = {
  ONCALL_CLIENT_ID: setting(plainText, 'deployment-wide oncall OAuth client id'),
  ONCALL_CLIENT_SECRET: secret(plainText, 'secret of ONCALL_CLIENT_ID'),
  ONCALL_REDIRECT_URI: setting(httpUrl, 'exact oncall callback', {
    defaultText: 'AUTH_BASE_URL/api/v1/integrations/oncall/callback',
    derivedDefault: ({ baseUrl }) => `${baseUrl}/api/v1/integrations/oncall/callback`,
  }),
  ONCALL_AUTHORIZE_URL: pagerdutyUrl('ONCALL_AUTHORIZE_URL', 'oncall authorization endpoint'),
  ONCALL_TOKEN_URL: pagerdutyUrl('ONCALL_TOKEN_URL', 'oncall token endpoint'),
  ONCALL_API_URL_US: pagerdutyUrl('ONCALL_API_URL_US', 'oncall API of the US region'),
  ONCALL_API_URL_EU: pagerdutyUrl('ONCALL_API_URL_EU', 'oncall API of the EU region'),
  ONCALL_WEB_SUFFIX_US: setting(plainText, 'suffix of oncall web hosts in the US region', {
    fallback: pagerdutyPlaces.ONCALL_WEB_SUFFIX_US,
  }),
  ONCALL_WEB_SUFFIX_EU: setting(plainText, 'suffix of oncall web hosts in the EU region', {
    fallback: pagerdutyPlaces.ONCALL_WEB_SUFFIX_EU,
  }),
  WEBHOOK_TOLERANCE_ONCALL: setting(
    seconds(1),
    'maximum deviation of the time of an oncall webhook, in seconds',
    { fallback: '259200' },
  ),
} as const;

export const oncallSettings = connectorSettings(table, (values) => ({
  clientId: values.ONCALL_CLIENT_ID,
  clientSecret: values.ONCALL_CLIENT_SECRET,
  redirectUri: values.ONCALL_REDIRECT_URI,
  webhookSecret: undefined,
  tolerance: { pastMs: (values.WEBHOOK_TOLERANCE_ONCALL ?? 259_200) * 1_000, futureMs },
}));
