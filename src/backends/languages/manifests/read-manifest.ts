import { readCsproj } from '../dotnet/read-csproj.ts';
import { readPackageJson } from '../ecmascript/read-package-json.ts';
import { readTsconfig } from '../ecmascript/read-tsconfig.ts';
import { readGradle } from '../jvm/read-gradle.ts';
import { readPom } from '../jvm/read-pom.ts';
import { readPyproject } from '../python/read-pyproject.ts';
import { readRequirements, readSetupCfg, readSetupPy } from '../python/read-requirements.ts';
import { readComposer } from '../scripts/read-composer.ts';
import { readGemspec, readPodspec } from '../scripts/read-gemspec.ts';
import { readCargo } from '../systems/read-cargo.ts';
import { readGoMod } from '../systems/read-go-mod.ts';
import type { AskedPackage, Ecosystem, Manifest, ReadManifest } from './manifest.ts';

interface ManifestFormat {
  readonly file: RegExp;
  readonly ecosystem: Ecosystem;
  readonly read: ReadManifest;
}

/** The formats of manifests, by the end of a path. */
const formats: readonly ManifestFormat[] = [
  { file: /(?:^|\/)package\.json$/, ecosystem: 'npm', read: readPackageJson },
  { file: /(?:^|\/)[jt]sconfig(?:[./-][\w.-]{1,100})?\.json$/, ecosystem: 'npm', read: readTsconfig },
  { file: /(?:^|\/)go\.(?:mod|work)$/, ecosystem: 'go', read: readGoMod },
  { file: /(?:^|\/)pyproject\.toml$/, ecosystem: 'pypi', read: readPyproject },
  { file: /(?:^|\/)setup\.cfg$/, ecosystem: 'pypi', read: readSetupCfg },
  { file: /(?:^|\/)setup\.py$/, ecosystem: 'pypi', read: readSetupPy },
  { file: /(?:^|\/)requirements[\w.-]{0,50}\.txt$/, ecosystem: 'pypi', read: readRequirements },
  { file: /(?:^|\/)Cargo\.toml$/, ecosystem: 'cargo', read: readCargo },
  { file: /(?:^|\/)pom\.xml$/, ecosystem: 'maven', read: readPom },
  { file: /(?:^|\/)build\.gradle(?:\.kts)?$/, ecosystem: 'maven', read: readGradle },
  { file: /(?:^|\/)composer\.json$/, ecosystem: 'composer', read: readComposer },
  { file: /\.gemspec$|(?:^|\/)Gemfile$/, ecosystem: 'gem', read: readGemspec },
  { file: /\.(?:cs|fs|vb)proj$/, ecosystem: 'nuget', read: readCsproj },
  { file: /\.podspec$|(?:^|\/)Podfile$/, ecosystem: 'pod', read: readPodspec },
];

/** A pattern of the paths of files that may ask for packages, in the syntax of code search. */
export const manifestPaths = formats
  .filter(({ read }) => read !== readTsconfig)
  .map(({ file }) => file.source)
  .join('|');

/** Manifests of copies and samples, which say nothing of the repository. */
const notOwn = /(?:^|\/)(?:node_modules|vendor|third_party|testdata|fixtures?|__fixtures__)\//;

/** Maximum length of a manifest. */
const maxManifest = 512 * 1024;
/** Number of packages that one may ask for, and of roots; length of a name and a version. */
const max = { asks: 2_000, roots: 2_000, name: 214, version: 100 } as const;

/** Returns whether a file says which packages its folder provides or asks for. */
export function isManifest(path: string): boolean {
  return formats.some(({ file }) => file.test(path)) && !notOwn.test(path);
}

/** Reads a manifest; `undefined` if it is too long or damaged, or says nothing. */
export function readManifest(path: string, text: string): Manifest | undefined {
  const format = formats.find(({ file }) => file.test(path));
  if (format === undefined || text.length > maxManifest) return undefined;
  const { ecosystem, read } = format;
  try {
    const { provides, asks, roots = [], ...more } = read(text, path);
    const manifest: Manifest = {
      ...more,
      ecosystem,
      provides: provides !== undefined && isName(provides) ? provides : undefined,
      asks: namedIn(asks),
      roots: roots.slice(0, max.roots),
    };
    return saysNothing(manifest) ? undefined : manifest;
  } catch {
    // A damaged manifest says nothing.
    return undefined;
  }
}

function saysNothing({ provides, asks, roots = [], compiler }: Manifest): boolean {
  return provides === undefined && compiler === undefined && asks.length + roots.length === 0;
}

/** Returns the packages with a name, each once. */
function namedIn(asks: readonly AskedPackage[]): readonly AskedPackage[] {
  const known = new Map<string, AskedPackage>();
  for (const { name, importedAs, version, ...more } of asks.slice(0, max.asks)) {
    const id = importedAs ?? name;
    if (isName(name) && isName(id) && !known.has(id))
      known.set(id, { name, importedAs, version: version.slice(0, max.version), ...more });
  }
  return [...known.values()];
}

/** Returns whether a text can be the name of a package: without spaces, control characters and variables. */
function isName(text: string): boolean {
  return text.length <= max.name && /^[@\w][\w.@/:~+-]*$/.test(text);
}
