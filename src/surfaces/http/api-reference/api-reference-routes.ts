import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { entityTagOf, hasCurrent } from '../../fastify/entity-tag.ts';
import { apiReferencePage, apiReferencePaths, startScript, style } from './api-reference-page.ts';
import { readScalarScript } from './scalar-script.ts';

/**
 * The policy of the page. Styles may be inline, because the reference computes them; scripts and requests stay on this
 * origin.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Cache duration of the files, in seconds; the large one is asked for again by its hash. */
const maxAge = 300;

const javascript = 'text/javascript; charset=utf-8';

/** Serves the interactive API reference at the origin root, without sign-in (contract section 3). */
export function apiReferenceRoutes(): FastifyPluginAsync {
  let reading: ReturnType<typeof readScript> | undefined;
  return async (server) => {
    const hidden = { schema: { hide: true } };
    server.get(apiReferencePaths.page, hidden, async (_request, reply) =>
      reply
        .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
        .type('text/html; charset=utf-8')
        .send(apiReferencePage),
    );
    server.get(apiReferencePaths.start, hidden, async (_request, reply) =>
      cached(reply, javascript).send(startScript),
    );
    server.get(apiReferencePaths.style, hidden, async (_request, reply) =>
      cached(reply, 'text/css; charset=utf-8').send(style),
    );
    server.get(apiReferencePaths.script, hidden, async (request, reply) => {
      reading ??= readScript();
      // A failure is not kept: the next request tries again.
      reading.catch(() => {
        reading = undefined;
      });
      const { packed, etag, unpacked } = await reading;
      cached(reply, javascript).headers({ etag, vary: 'accept-encoding' });
      if (hasCurrent(request, etag)) return reply.code(304).send();
      if (/\bgzip\b/.test(request.headers['accept-encoding'] ?? ''))
        return reply.header('content-encoding', 'gzip').send(packed);
      return reply.send(await unpacked());
    });
  };
}

async function readScript() {
  const packed = await readScalarScript();
  let unpacking: Promise<Buffer> | undefined;
  // Kept after the first client without gzip, so that many of them cost the memory and time of one.
  const unpacked = (): Promise<Buffer> => (unpacking ??= promisify(gunzip)(packed));
  return {
    packed,
    unpacked,
    etag: entityTagOf(packed),
  };
}

function cached(reply: FastifyReply, type: string): FastifyReply {
  return reply.header('cache-control', `public, max-age=${maxAge}`).type(type);
}
