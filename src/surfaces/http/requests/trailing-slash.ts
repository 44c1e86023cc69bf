import type { RequestListener } from 'node:http';

/** A target whose path is that of /mcp or of a discovery document, with a slash behind it. */
const slashed = /^((?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?(?:\/\.well-known\/[\w/-]+?|\/mcp))\/(?=[?#]|$)/i;

/**
 * Serves /mcp and discovery at their addresses with a trailing slash, which people and some clients add. The target is
 * rewritten before any check reads it, so that all checks apply to the address without the slash. The option
 * `rewriteUrl` of Fastify would log both addresses with their queries.
 */
export function withoutTrailingSlash(answer: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url !== undefined) request.url = request.url.replace(slashed, '$1');
    answer(request, response);
  };
}
