import { posix } from 'node:path';
import { z } from 'zod';
import { type AskedPackage, LineFinder, type ReadManifest } from './manifest.ts';

const versions = z.record(z.string(), z.unknown()).optional().catch(undefined);
const packageJson = z.object({
  name: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  module: z.string().optional().catch(undefined),
  types: z.string().optional().catch(undefined),
  bin: z.unknown().optional(),
  exports: z.unknown().optional(),
  imports: z.record(z.string(), z.unknown()).optional().catch(undefined),
  dependencies: versions,
  peerDependencies: versions,
  optionalDependencies: versions,
  devDependencies: versions,
});

const sections = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'] as const;

/** Maximum number of files that `exports` names, and its maximum depth. */
const max = { files: 500, depth: 8 } as const;

export const readPackageJson: ReadManifest = (text, path) => {
  const read = packageJson.parse(JSON.parse(text));
  const lines = new LineFinder(text);
  const asks = sections.flatMap((section) => {
    if (read[section] === undefined) return [];
    lines.startAt(`"${section}"`);
    return Object.entries(read[section]).map(([name, version]): AskedPackage => {
      const line = lines.find(JSON.stringify(name));
      const written = typeof version === 'string' ? version : '';
      // An alias: `npm:@acme/client@^2`.
      const [, actual, rest = ''] = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(written) ?? [];
      return actual === undefined
        ? { name, version: written, line }
        : { name: actual, importedAs: name, version: rest, line };
    });
  });
  const aliases = Object.entries(read.imports ?? {}).map(([pattern, value]) => ({
    pattern,
    targets: textsIn(value, 0).map((each) => posix.join(posix.dirname(path), each)),
  }));
  return { provides: read.name, entries: entriesOf(read), asks, aliases };
};

/** Returns the files of each subpath. A program without a main file has none. */
function entriesOf({
  main,
  module,
  types,
  bin,
  exports,
}: z.output<typeof packageJson>): ReadonlyMap<string, readonly string[]> {
  const entries = new Map<string, string[]>();
  const count = { files: 0 };
  const add = (subpath: string, value: unknown, depth: number): void => {
    if (depth > max.depth || count.files >= max.files) return;
    if (typeof value === 'string') {
      count.files += 1;
      const known = entries.get(subpath);
      if (known === undefined) entries.set(subpath, [value]);
      else known.push(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value))
        add(depth === 0 && name.startsWith('./') ? name.slice(1) : subpath, inner, depth + 1);
    }
  };
  add('', exports, 0);
  for (const each of [module, main, types]) add('', each, 1);
  if (entries.size === 0 && bin === undefined) entries.set('', ['index.js']);
  return entries;
}

/** Returns the texts in a value, whatever the conditions before them. */
function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > max.depth) return [];
  return Object.values(value).flatMap((each) => textsIn(each, depth + 1));
}
