import { oauthPaths } from '../../features/oauth/endpoints.ts';

/** The paths of the pages. `pathWith` fills in the parameter of those that end in one. */
export const pagePaths = {
  /** The default page after a sign-in; leads to the organization of the person. */
  start: '/',
  account: '/.auth/account',
  endGrant: '/.auth/account/end-grant',
  password: '/.auth/account/password',
  signIn: '/.auth/sign-in',
  signOut: '/.auth/sign-out',
  upstream: '/.auth/upstream',
  upstreamCallback: '/.auth/upstream/callback',
  link: '/.auth/link/:token',
  invitation: '/.auth/invitation/:token',
  /** The address to which Git hosts redirect after the installation of their App (contract section 3). */
  githostSetup: '/api/v1/integrations/githost/setup',
  interaction: `${oauthPaths.interaction}/:uid`,
} as const;

/** The account page with the confirmation that a password was saved. */
export const passwordSavedPath = `${pagePaths.account}?saved=password`;

/** Returns the address to which the provider of a connector redirects after an authorization. */
export function connectorCallbackPath(kind: string): string {
  return `/api/v1/integrations/${kind}/callback`;
}

type ParameterPath = Extract<(typeof pagePaths)[keyof typeof pagePaths], `${string}/:${string}`>;

/** Returns the path with `value` as its parameter. */
export function pathWith(path: ParameterPath, value: string): string {
  return path.replace(/:\w+$/, () => encodeURIComponent(value));
}

/** Returns the path of the sign-in page, which redirects to `returnTo`, a path of this service. */
export function signInPath(returnTo: string): string {
  return returningTo(pagePaths.signIn, returnTo);
}

/** Returns the path that starts a sign-in at the identity provider and redirects to `returnTo` afterwards. */
export function upstreamPath(returnTo: string): string {
  return returningTo(pagePaths.upstream, returnTo);
}

function returningTo(path: string, returnTo: string): string {
  return `${path}?returnTo=${encodeURIComponent(returnTo)}`;
}
