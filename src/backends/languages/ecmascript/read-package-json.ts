import { addTo } from '../../../foundation/kernel/add-to.ts';
import { type AskedPackage, LineFinder, type ReadManifest } from '../manifests/manifest.ts';
import { tableOf, textOf } from '../manifests/values.ts';
import type { ModuleRoot } from '../modules/module-roots.ts';
import { folderOf } from '../modules/paths.ts';

const sections = ['dependencies', 'peerDependencies', 'optionalDependencies', 'devDependencies'] as const;

/** Maximum number of files that `exports` or `imports` names, and its maximum depth. */
const max = { files: 500, depth: 8 } as const;

export const readPackageJson: ReadManifest = (text, path) => {
  const read = tableOf(JSON.parse(text));
  const lines = new LineFinder(text);
  const asks = sections.flatMap((section) => {
    if (read[section] === undefined) return [];
    lines.startAt(`"${section}"`);
    return Object.entries(tableOf(read[section])).map(([name, version]): AskedPackage => {
      const line = lines.find(JSON.stringify(name));
      const written = textOf(version) ?? '';
      const use = section === 'devDependencies' ? ({ isForDevelopment: true } as const) : {};
      // An alias: `npm:@acme/client@^2`.
      const [, actual, rest = ''] = /^npm:((?:@[^@/]+\/)?[^@/]+)(?:@(.*))?$/.exec(written) ?? [];
      return actual === undefined
        ? { name, version: written, line, ...use }
        : { name: actual, importedAs: name, version: rest, line, ...use };
    });
  });
  const roots = importsOf(read['imports'], folderOf(path));
  return { provides: textOf(read['name']), entries: entriesOf(read), asks, roots };
};

type Entries = ReadonlyMap<string, readonly string[]>;

/** Returns the files of each subpath. A program without a main file has none. */
function entriesOf(read: Readonly<Record<string, unknown>>): Entries {
  const entries = new Map(filesByName(read['exports'], /^\.\//));
  for (const name of ['module', 'main', 'types']) {
    const file = textOf(read[name]);
    if (file !== undefined) entries.set('', [...(entries.get('') ?? []), file]);
  }
  if (entries.size === 0 && read['bin'] === undefined) entries.set('', ['index.js']);
  return entries;
}

/** Returns the files of names that match, such as `./errors`, in the order of their conditions. Others are conditions. */
function filesByName(written: unknown, isName: RegExp): Entries {
  const files = new Map<string, string[]>();
  let count = 0;
  const add = (name: string, value: unknown, depth: number): void => {
    if (depth > max.depth || count >= max.files) return;
    if (typeof value === 'string') {
      count += 1;
      addTo(files, name, value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        add(depth === 0 && isName.test(key) ? key.replace(/^\./, '') : name, inner, depth + 1);
    }
  };
  add('', written, 0);
  return files;
}

/** Returns the names by which the files of a package import each other, such as `#internal/*`. */
function importsOf(imports: unknown, folder: string): readonly ModuleRoot[] {
  return [...filesByName(imports, /^#/)].map(([name, places]) => ({
    kind: 'npm-imports',
    within: folder,
    name,
    folder,
    places,
  }));
}
