import { posix } from 'node:path';
import { z } from 'zod';
import type { ReadManifest } from './manifest.ts';

const name = z.string().optional().catch(undefined);
const tsconfig = z.object({
  extends: z
    .union([z.string().transform((each) => [each]), z.array(z.string())])
    .optional()
    .catch(undefined),
  compilerOptions: z
    .object({
      baseUrl: name,
      paths: z.record(z.string(), z.array(z.string())).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Reads the path aliases of a `tsconfig.json`. Their targets are paths of the repository. */
export const readTsconfig: ReadManifest = (text, path) => {
  const { extends: bases = [], compilerOptions: { baseUrl, paths = {} } = {} } = tsconfig.parse(
    JSON.parse(withoutComments(text)),
  );
  const folder = posix.dirname(path);
  const root = posix.join(folder, baseUrl ?? '.');
  const aliases = Object.entries(paths).map(([pattern, targets]) => ({
    pattern,
    targets: targets.map((each) => posix.join(root, each)),
  }));
  // A base URL is where every other name is looked for.
  if (baseUrl !== undefined) aliases.push({ pattern: '*', targets: [posix.join(root, '*')] });
  const extended = bases
    .filter((each) => each.startsWith('.'))
    .map((each) => posix.join(folder, each.endsWith('.json') ? each : `${each}.json`));
  return { provides: undefined, asks: [], aliases, extends: extended };
};

/** A string, a comment (one without an end takes the rest, so that none is looked at twice), or a last comma. */
const tokens = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/|$)|,(?=\s{0,200}[\]}])/g;

/** Returns JSON without its comments and last commas, in linear time. */
function withoutComments(text: string): string {
  const uncommented = text.replaceAll(tokens, (token) => (token.startsWith('/') ? '' : token));
  return uncommented.replaceAll(tokens, (token) => (token === ',' ? '' : token));
}
