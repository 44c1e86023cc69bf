import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { addressSettings, connectorSettings, type SettingValues } from '../port.ts';

/** The URLs and web hosts of PagerDuty, which are the defaults of the settings. */
export const pagerdutyPlaces = {
  ONCALL_AUTHORIZE_URL: 'https://identity.pagerduty.com/oauth/authorize',
  ONCALL_TOKEN_URL: 'https://identity.pagerduty.com/oauth/token',
  ONCALL_API_URL_US: 'https://api.pagerduty.com',
  ONCALL_API_URL_EU: 'https://api.eu.pagerduty.com',
  ONCALL_WEB_SUFFIX_US: 'pagerduty.com',
  ONCALL_WEB_SUFFIX_EU: 'eu.pagerduty.com',
} as const;

/** The past is longer than the future, because the provider retries for two days. */
export const oncallSettings = connectorSettings('oncall', {
  clientSecret: 'secret of ONCALL_CLIENT_ID',
  webhook: 'an oncall webhook',
  toleranceSeconds: 259_200,
  futureMs: 5 * 60_000,
  further: addressSettings(pagerdutyPlaces, {
    ONCALL_AUTHORIZE_URL: 'oncall authorization endpoint',
    ONCALL_TOKEN_URL: 'oncall token endpoint',
    ONCALL_API_URL_US: 'oncall API of the US region',
    ONCALL_API_URL_EU: 'oncall API of the EU region',
    ONCALL_WEB_SUFFIX_US: 'suffix of oncall web hosts in the US region',
    ONCALL_WEB_SUFFIX_EU: 'suffix of oncall web hosts in the EU region',
  }),
});

/** Returns the setting of a URL or web host of the provider. */
export function providerValue(values: SettingValues, name: keyof typeof pagerdutyPlaces): string {
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
  const url = URL.parse(htmlUrl);
  const isPlain = url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  if (url === null || !isPlain) throw unknownHost(htmlUrl);
  // The suffix of the EU region ends with that of the US region, so that it is tried first.
  for (const region of ['eu', 'us'] as const) {
    const suffix = providerValue(values, region === 'eu' ? 'ONCALL_WEB_SUFFIX_EU' : 'ONCALL_WEB_SUFFIX_US');
    if (url.hostname === suffix) throw unknownHost(htmlUrl);
    if (!url.hostname.endsWith(`.${suffix}`)) continue;
    const subdomain = url.hostname.slice(0, -suffix.length - 1);
    if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain)) throw unknownHost(htmlUrl);
    return { host: url.hostname, subdomain, region };
  }
  throw unknownHost(htmlUrl);
}

function unknownHost(htmlUrl: string): InvalidInput {
  return new InvalidInput(
    'The oncall provider named a web address of no known region for the authorized user. Check ONCALL_WEB_SUFFIX_US and ONCALL_WEB_SUFFIX_EU, then authorize again.',
    { detail: { htmlUrl: htmlUrl.slice(0, 200) } },
  );
}
