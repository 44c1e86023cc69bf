/** Names under which tokens are put on URLs, and values that are plainly one: a key of orgctx, or a JWT. */
const tokenNames = /^(?:access_?token|refresh_?token|id_?token|token|api_?key|authorization|bearer)$/i;
const tokenText = /\b(?:ock_|eyJ)[\w.-]*/g;

/** Whether a token stands in the query or in the fragment. */
export function carriesToken({ searchParams, hash }: URL): boolean {
  const parameters = [...searchParams, ...new URLSearchParams(hash.slice(1))];
  return parameters.some(([name, value]) => tokenNames.test(name) || value.search(tokenText) >= 0);
}

/** The path, with a token that was put into it left out. */
export function printablePath({ pathname }: URL): string {
  return pathname.replaceAll(tokenText, '[token]');
}

/** Neither userinfo nor a value of the query is ever printed, but for what can only be an organization's slug. */
export function printableTarget(target: URL): string {
  const slug = target.searchParams.get('orgSlug') ?? '';
  const query = /^[a-z0-9][a-z0-9-]{0,38}$/.test(slug) && !carriesToken(target) ? `?orgSlug=${slug}` : '';
  return `${target.origin}${printablePath(target)}${query}`;
}
