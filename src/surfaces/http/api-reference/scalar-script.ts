import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packedScalarFile, packScalar } from './pack-scalar.ts';

/**
 * Returns the packed script of the API reference: from its package when run from source, from the file beside the chunk
 * in the bundle. The package with its dependencies is not shipped.
 */
export async function readScalarScript(): Promise<Buffer> {
  if (!import.meta.url.endsWith('.ts'))
    return readFile(fileURLToPath(new URL(`./${packedScalarFile}`, import.meta.url)));
  const path = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  const { default: plugin } = (await import(pathToFileURL(path).href)) as {
    readonly default: Parameters<typeof packScalar>[0];
  };
  return packScalar(plugin);
}
