import { textOr } from '../../../../foundation/config/settings/text-or.ts';

/** The URLs of the real provider. */
const defaults = {
  TRACKER_API_URL: 'https://api.linear.app/graphql',
  TRACKER_AUTHORIZE_URL: 'https://linear.app/oauth/authorize',
  TRACKER_TOKEN_URL: 'https://api.linear.app/oauth/token',
  TRACKER_REVOKE_URL: 'https://api.linear.app/oauth/revoke',
  TRACKER_UPLOADS_URL: 'https://uploads.linear.app',
} as const;

/** Returns a URL of the provider: the setting, else the real one. */
export function providerUrl(values: Readonly<Record<string, unknown>>, name: keyof typeof defaults): string {
  return textOr(defaults, values, name);
}
