import { textOr } from '../../../../foundation/config/settings/text-or.ts';

/** The URLs of Linear. */
export const linearUrls = {
  TRACKER_API_URL: 'https://api.linear.app/graphql',
  TRACKER_AUTHORIZE_URL: 'https://linear.app/oauth/authorize',
  TRACKER_TOKEN_URL: 'https://api.linear.app/oauth/token',
  TRACKER_REVOKE_URL: 'https://api.linear.app/oauth/revoke',
  TRACKER_UPLOADS_URL: 'https://uploads.linear.app',
} as const;

/** Returns a URL of the provider: the setting, else that of Linear. */
export function providerUrl(
  values: Readonly<Record<string, unknown>>,
  name: keyof typeof linearUrls,
): string {
  return textOr(linearUrls, values, name);
}
