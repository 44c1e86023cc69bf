import type { AskedPackage, Ecosystem, Manifest, ReadManifest } from './manifest.ts';
import { readComposer } from './read-composer.ts';
import { readGemspec, readGoMod, readGradle, readPodspec } from './read-line-manifests.ts';
import { readPackageJson } from './read-package-json.ts';
import { readRequirements, readSetupCfg } from './read-requirements.ts';
import { readCargo, readPyproject } from './read-toml.ts';
import { readTsconfig } from './read-tsconfig.ts';
import { readCsproj, readPom } from './read-xml-manifests.ts';

interface ManifestFormat {
  readonly file: RegExp;
  readonly ecosystem: Ecosystem;
  readonly read: ReadManifest;
}

/** The formats of manifests, by the end of a path. */
const formats: readonly ManifestFormat[] = [
  { file: /(?:^|\/)package\.json$/, ecosystem: 'npm', read: readPackageJson },
  { file: /(?:^|\/)(?:ts|js)config(?:\.[\w-]{1,100}){0,3}\.json$/, ecosystem: 'npm', read: readTsconfig },
  { file: /(?:^|\/)go\.mod$/, ecosystem: 'go', read: readGoMod },
  { file: /(?:^|\/)pyproject\.toml$/, ecosystem: 'pypi', read: readPyproject },
  { file: /(?:^|\/)setup\.cfg$/, ecosystem: 'pypi', read: readSetupCfg },
  { file: /(?:^|\/)requirements[\w.-]{0,50}\.txt$/, ecosystem: 'pypi', read: readRequirements },
  { file: /(?:^|\/)Cargo\.toml$/, ecosystem: 'cargo', read: readCargo },
  { file: /(?:^|\/)pom\.xml$/, ecosystem: 'maven', read: readPom },
  { file: /(?:^|\/)build\.gradle(?:\.kts)?$/, ecosystem: 'maven', read: readGradle },
  { file: /(?:^|\/)composer\.json$/, ecosystem: 'composer', read: readComposer },
  { file: /\.gemspec$|(?:^|\/)Gemfile$/, ecosystem: 'gem', read: readGemspec },
  { file: /\.(?:cs|fs|vb)proj$/, ecosystem: 'nuget', read: readCsproj },
  { file: /\.podspec$|(?:^|\/)Podfile$/, ecosystem: 'pod', read: readPodspec },
];

/** Manifests of copies and samples, which say nothing of the repository. */
const notOwn = /(?:^|\/)(?:node_modules|vendor|third_party|testdata|fixtures?|__fixtures__)\//;

/**
 * Maximum length of a manifest; number of packages that one may ask for; length of a name and a version; number of path
 * aliases, and of the targets of one.
 */
const max = { text: 512 * 1024, asks: 2_000, name: 214, version: 100, aliases: 100, targets: 10 } as const;

/** Returns whether a file says which packages its folder provides or asks for. */
export function isManifest(path: string): boolean {
  return formats.some(({ file }) => file.test(path)) && !notOwn.test(path);
}

/** Reads a manifest; `undefined` if it is too long or damaged, or says nothing. */
export function readManifest(path: string, text: string): Manifest | undefined {
  const format = formats.find(({ file }) => file.test(path));
  if (format === undefined || text.length > max.text) return undefined;
  const { ecosystem, read } = format;
  try {
    const found = read(text, path);
    const { provides, entries, asks } = found;
    const known = new Map<string, AskedPackage>();
    for (const { name, importedAs, version, line } of asks.slice(0, max.asks)) {
      const id = importedAs ?? name;
      if (isName(name) && isName(id) && !known.has(id))
        known.set(id, { name, importedAs, version: version.slice(0, max.version), line });
    }
    const own = provides !== undefined && isName(provides) ? provides : undefined;
    const aliasing = aliasesOf(found);
    if (own === undefined && known.size === 0 && aliasing === undefined) return undefined;
    return { ecosystem, provides: own, ...(entries && { entries }), asks: [...known.values()], ...aliasing };
  } catch {
    // A damaged manifest says nothing.
    return undefined;
  }
}

/** Returns the first aliases of a manifest; `undefined` if it has none, and extends no other. */
function aliasesOf({
  aliases = [],
  extends: bases = [],
}: ReturnType<ReadManifest>): Pick<Manifest, 'aliases' | 'extends'> | undefined {
  if (aliases.length + bases.length === 0) return undefined;
  return {
    aliases: aliases
      .slice(0, max.aliases)
      .map(({ pattern, targets }) => ({ pattern, targets: targets.slice(0, max.targets) })),
    extends: bases.slice(0, max.targets),
  };
}

/** Returns whether a text can be the name of a package: without spaces, control characters and variables. */
function isName(text: string): boolean {
  return text.length <= max.name && /^[@\w][\w.@/:~+-]*$/.test(text);
}
