import { secret, setting } from '../../../foundation/config/settings/setting.ts';
import { plainText, seconds } from '../../../foundation/config/settings/setting-types.ts';
import { httpUrl } from '../../../foundation/config/settings/url-types.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { connectorSettings, type SettingValues } from '../port.ts';

/** Maximum time of an event in the future, in milliseconds. The past is longer: the provider retries for two days. */
const futureMs = 5 * 60_000;

const url = (description: string, fallback: string) => setting(httpUrl, description, { fallback });
const webSuffix = (description: string, fallback: string) => setting(plainText, description, { fallback });

/** There is no webhook secret: one is created per subscription (specification, settings rule 5). */
const table = {
  ONCALL_CLIENT_ID: setting(plainText, 'deployment-wide oncall OAuth client id'),
  ONCALL_CLIENT_SECRET: secret(plainText, 'secret of ONCALL_CLIENT_ID'),
  ONCALL_REDIRECT_URI: setting(httpUrl, 'exact oncall callback', {
    defaultText: 'AUTH_BASE_URL/api/v1/integrations/oncall/callback',
    derivedDefault: ({ baseUrl }) => `${baseUrl}/api/v1/integrations/oncall/callback`,
  }),
  ONCALL_AUTHORIZE_URL: url(
    'oncall authorization endpoint',
    'https://identity.pagerduty.com/oauth/authorize',
  ),
  ONCALL_TOKEN_URL: url('oncall token endpoint', 'https://identity.pagerduty.com/oauth/token'),
  ONCALL_API_URL_US: url('oncall API of the US region', 'https://api.pagerduty.com'),
  ONCALL_API_URL_EU: url('oncall API of the EU region', 'https://api.eu.pagerduty.com'),
  ONCALL_WEB_SUFFIX_US: webSuffix('suffix of oncall web hosts in the US region', 'pagerduty.com'),
  ONCALL_WEB_SUFFIX_EU: webSuffix('suffix of oncall web hosts in the EU region', 'eu.pagerduty.com'),
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

/** Returns the setting of a URL or web host of the provider. */
export function providerValue(values: SettingValues, name: keyof typeof table): string {
  return String(values[name]);
}

export type Region = 'us' | 'eu';

/** Returns the address of the API of a region, without a slash at its end. */
export function apiUrlOf(region: Region, values: SettingValues): string {
  const name = region === 'eu' ? 'ONCALL_API_URL_EU' : 'ONCALL_API_URL_US';
  return withoutEnd(providerValue(values, name), '/');
}

/**
 * Reads account and region from an address of the account's pages. The API gives accounts no id, so that the host is
 * the id. It must be one name before the suffix of a region: requests with tokens go to the API of that region.
 * @throws InvalidInput for every other address
 */
export function placeOf(htmlUrl: string, values: SettingValues) {
  const page = URL.parse(htmlUrl);
  const isPlain =
    page?.protocol === 'https:' && page.port === '' && page.username === '' && page.password === '';
  if (page === null || !isPlain) throw unknownHost(htmlUrl);
  const { hostname: host } = page;
  // The suffix of the EU region ends with that of the US region, so that it is tried first.
  for (const region of ['eu', 'us'] as const) {
    const suffix = providerValue(values, region === 'eu' ? 'ONCALL_WEB_SUFFIX_EU' : 'ONCALL_WEB_SUFFIX_US');
    if (host === suffix) throw unknownHost(htmlUrl);
    if (!host.endsWith(`.${suffix}`)) continue;
    const subdomain = host.slice(0, -suffix.length - 1);
    if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain)) throw unknownHost(htmlUrl);
    return { host, subdomain, region };
  }
  throw unknownHost(htmlUrl);
}

function unknownHost(htmlUrl: string): InvalidInput {
  return new InvalidInput(
    'The oncall provider named a web address of no known region for the authorized user. Check ONCALL_WEB_SUFFIX_US and ONCALL_WEB_SUFFIX_EU, then authorize again.',
    { detail: { htmlUrl: htmlUrl.slice(0, 200) } },
  );
}
