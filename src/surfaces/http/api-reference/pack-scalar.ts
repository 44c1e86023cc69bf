import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import Fastify, { type FastifyPluginCallback } from 'fastify';

/** Name of the packed script beside the program. */
export const packedScalarFile = 'api-reference.js.gz';

/**
 * Returns the script of the API reference, packed with gzip. The package serves it only through its plugin, so a server
 * that listens nowhere is asked for it.
 */
export async function packScalar(plugin: FastifyPluginCallback<ScalarOptions>): Promise<Buffer> {
  const server = Fastify();
  await server.register(plugin, { routePrefix: '/scalar', configuration: { content: '{}' } });
  const { statusCode, rawPayload } = await server.inject('/scalar/js/scalar.js');
  await server.close();
  if (statusCode !== 200 || rawPayload.length < 1e6)
    throw new Error(`the package of the API reference has no script (status ${statusCode})`);
  return promisify(gzip)(rawPayload, { level: constants.Z_BEST_COMPRESSION });
}

interface ScalarOptions {
  readonly routePrefix: `/${string}`;
  readonly configuration: { readonly content: string };
}
