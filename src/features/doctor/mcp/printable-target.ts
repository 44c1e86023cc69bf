/** Parameter names of tokens in URLs, and the pattern of their values: a key of orgctx, or a JWT. */
const tokenNames = /^(?:access_?token|refresh_?token|id_?token|token|api_?key|authorization|bearer)$/i;
const tokenText = /\b(?:ock_|eyJ)[\w.-]*/g;

/** Returns whether the query or the fragment contains a token. */
export function carriesToken({ searchParams, hash }: URL): boolean {
  const parameters = [...searchParams, ...new URLSearchParams(hash.slice(1))];
  return parameters.some(([name, value]) => tokenNames.test(name) || value.search(tokenText) >= 0);
}

/** Returns the path with tokens removed. */
export function printablePath({ pathname }: URL): string {
  return pathname.replaceAll(tokenText, '[token]');
}

/** Returns the target without userinfo and without query values, except for a valid organization slug. */
export function printableTarget(target: URL): string {
  const slug = target.searchParams.get('orgSlug') ?? '';
  const query = /^[a-z0-9][a-z0-9-]{0,38}$/.test(slug) && !carriesToken(target) ? `?orgSlug=${slug}` : '';
  return `${target.origin}${printablePath(target)}${query}`;
}
