import type { FastifyPluginAsync } from 'fastify';
import type { AuthenticateDeps } from '../../features/identity/authenticate.ts';
import { inspectOneTimeLink } from '../../features/identity/one-time-link.ts';

type LinkState = Awaited<ReturnType<typeof inspectOneTimeLink>>;

/** What the page says. Fixed texts only: nothing of the request is repeated in it. */
const pages: Readonly<Record<LinkState, { status: number; heading: string; text: string }>> = {
  valid: {
    status: 200,
    heading: 'This sign-in link is valid',
    text: 'It was only looked at and has not been used up. Signing in with a browser comes with a later version of orgctx.',
  },
  used: {
    status: 410,
    heading: 'This sign-in link has been used',
    text: 'A link works once. Ask the operator for another: orgctx admin link --email EMAIL',
  },
  expired: {
    status: 410,
    heading: 'This sign-in link has expired',
    text: 'A link works for 30 minutes. Ask the operator for another: orgctx admin link --email EMAIL',
  },
  unknown: {
    status: 404,
    heading: 'This is not a sign-in link of this service',
    text: 'Copy the whole link, or ask the operator for another: orgctx admin link --email EMAIL',
  },
};

/** Where one-time links lead until the sign-in pages are there: it inspects a link and says what works today. */
export function linkRoutes({ queries, clock }: AuthenticateDeps): FastifyPluginAsync {
  return async (server) => {
    server.get<{ Params: { token: string } }>(
      '/.auth/link/:token',
      { schema: { hide: true } },
      async (request, reply) => {
        const page = pages[await inspectOneTimeLink(queries, request.params.token, clock)];
        reply.code(page.status).header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
        return reply.type('text/html; charset=utf-8').send(render(page));
      },
    );
  };
}

function render({ heading, text }: { heading: string; text: string }): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${heading} · orgctx</title></head>
<body>
<main>
<h1>${heading}</h1>
<p>${text}</p>
<h2>What works today</h2>
<p>An API key signs MCP clients and scripts in. On the host, make one for your account:</p>
<pre><code>orgctx admin key create --email EMAIL --name NAME</code></pre>
<p>and send it as <code>Authorization: Bearer &lt;API key&gt;</code>, or let <code>orgctx mcp config --auth key</code> write the client's configuration.</p>
</main>
</body>
</html>
`;
}
