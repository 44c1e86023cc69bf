import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { schemaText } from './schema-text.ts';

/** Packages with a version of the SDK: the newest, and an older one. */
export const sdkPackages = { newest: '@linear/sdk', older: 'linear-sdk-88' } as const;

const modules = join(import.meta.dirname, '../../../../node_modules');
const cache = join(modules, '.cache/orgctx-tracker-schema');
const built = new Map<string, GraphQLSchema>();

/** Returns the provider's schema as of one version of its SDK. Rebuilding its text takes a second, so it is cached. */
export function trackerSchema(version: keyof typeof sdkPackages = 'newest'): GraphQLSchema {
  const known = built.get(version);
  if (known !== undefined) return known;
  const schema = buildSchema(cachedText(sdkPackages[version]), { assumeValidSDL: true });
  built.set(version, schema);
  return schema;
}

function cachedText(packageName: string): string {
  const folder = join(modules, packageName, 'dist');
  const name = readdirSync(folder).find((file) => /^index-.*\.d\.mts$/.test(file));
  if (name === undefined) throw new Error(`${packageName} has no declaration file`);
  const declarations = readFileSync(join(folder, name), 'utf8');
  const file = join(cache, `${cacheKey(declarations)}.graphql`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const text = schemaText(declarations);
    mkdirSync(cache, { recursive: true });
    // Another process may write the same file.
    const temporary = `${file}.${randomUUID()}`;
    writeFileSync(temporary, text);
    renameSync(temporary, file);
    return text;
  }
}

/** The cache also depends on the code that rebuilds the text. */
function cacheKey(declarations: string): string {
  const hash = createHash('sha256').update(declarations);
  for (const file of ['declared-types.ts', 'schema-text.ts']) {
    hash.update(readFileSync(join(import.meta.dirname, file)));
  }
  return hash.digest('hex').slice(0, 32);
}
