import { oauthPaths } from '../../features/oauth/endpoints.ts';

/** Where the pages are. Those that end in a parameter are addressed by the functions below. */
export const pagePaths = {
  /** Where people land who came to sign in and nothing else. */
  account: '/.auth/account',
  endGrant: '/.auth/account/end-grant',
  password: '/.auth/account/password',
  signIn: '/.auth/sign-in',
  signOut: '/.auth/sign-out',
  upstream: '/.auth/upstream',
  upstreamCallback: '/.auth/upstream/callback',
  link: '/.auth/link/:token',
  invitation: '/.auth/invitation/:token',
  interaction: `${oauthPaths.interaction}/:uid`,
} as const;

type ParameterPath = Extract<(typeof pagePaths)[keyof typeof pagePaths], `${string}/:${string}`>;

/** The address of the one page that `value` names. */
export function pathWith(path: ParameterPath, value: string): string {
  return path.replace(/:\w+$/, () => encodeURIComponent(value));
}

/** The page that signs in and then leads to `returnTo`, a path of ours. */
export function signInPath(returnTo: string): string {
  return returningTo(pagePaths.signIn, returnTo);
}

/** The same at the identity provider. */
export function upstreamPath(returnTo: string): string {
  return returningTo(pagePaths.upstream, returnTo);
}

function returningTo(path: string, returnTo: string): string {
  return `${path}?returnTo=${encodeURIComponent(returnTo)}`;
}
