import type { EdgeKind } from '../../../backends/graph/port.ts';
import type { ImportedName, ParsedFile, Use } from '../../../backends/languages/port.ts';
import type { PackageExports } from '../packages/exported-names.ts';
import type { Asked, RepositoryPackages } from '../packages/repository-packages.ts';
import type { OutsideUse } from '../symbols/resolve/outside-use.ts';
import type { ResolvedFile } from '../symbols/resolve/resolve-file.ts';
import type { FactList, Reason } from './fact-list.ts';
import { exportName, packageName, symbolKey } from './keys.ts';
import { printUseLines } from './use-lines.ts';

/** Confidence of what a manifest and an import lead to, as within a repository. */
const confidence = 90;

/** Maximum number of names by which the definitions of a file are imported. One with more is generated. */
const maxExports = 5_000;

/** Adds the package that a manifest provides, and those that it asks for. */
export function addManifest(facts: FactList, packages: RepositoryPackages, file: string, path: string): void {
  const manifest = packages.manifest(path);
  if (manifest === undefined) return;
  const { ecosystem, provides, asks } = manifest;
  if (provides !== undefined) facts.alias(packageName(ecosystem, provides), file, 'manifest');
  for (const asked of asks)
    facts.mention(file, 'depends_on', packageName(ecosystem, asked.name), {
      rule: 'manifest',
      evidence: `line ${asked.line}: ${described(asked)}`,
      confidence: 100,
    });
}

/** Adds the names by which other repositories import the definitions of a file. */
export function addExports(
  facts: FactList,
  { repositoryId, exports }: { readonly repositoryId: string; readonly exports: PackageExports },
  file: ParsedFile,
): void {
  let count = 0;
  for (const { ecosystem, name, target } of exports.of(file)) {
    count += 1;
    if (count > maxExports) return;
    facts.alias(exportName(ecosystem, name), symbolKey(repositoryId, target.path, target.symbol), 'export');
  }
}

/**
 * Adds what a file imports from packages that a manifest asks for, and where it uses their names. They become edges
 * while a repository of the organization provides the package.
 */
export function addOutside(
  facts: FactList,
  packages: RepositoryPackages,
  file: string,
  { path, language }: ParsedFile,
  { imports, outside }: ResolvedFile,
  edgeOf: (use: Use) => readonly [from: string, kind: EdgeKind],
): void {
  const known = new Map<string, Asked | undefined>();
  const packageOf = ({ source }: ImportedName): Asked | undefined => {
    if (!known.has(source)) known.set(source, packages.importedBy(path, language, source));
    return known.get(source);
  };
  type Edge = readonly [from: string, kind: EdgeKind];
  const mention = (edge: Edge, imported: ImportedName, names: readonly string[], lines: string) => {
    const asked = packageOf(imported);
    if (asked === undefined) return;
    const member = names.length === 0 ? ['default'] : names;
    const name = [moduleIn(asked, imported), ...member].join('.');
    facts.mention(...edge, exportName(asked.ecosystem, name), reasonOf(asked, lines));
  };
  for (const { imported, paths } of imports) {
    const asked = paths.length > 0 ? undefined : packageOf(imported);
    if (asked === undefined) continue;
    const line = `line ${imported.line}`;
    const reason = reasonOf(asked, line);
    facts.mention(file, 'imports', packageName(asked.ecosystem, asked.name), reason);
    if (imported.name !== undefined && imported.name !== '*')
      mention([file, 'imports'], imported, [imported.name], line);
  }
  const idOf = ({ use, imported, path: names }: OutsideUse): string =>
    JSON.stringify([edgeOf(use), imported.source, imported.name, names]);
  for (const same of Map.groupBy(outside, idOf).values()) {
    const { use, imported, path: names } = same[0]!;
    const lines = { certain: same.map((each) => each.use.line), possible: [] };
    const byLine = same.some((each) => each.use.byLine === true);
    mention(edgeOf(use), imported, names, printUseLines(lines, byLine));
  }
}

function reasonOf(asked: Asked, lines: string): Reason {
  const evidence = `${lines}: ${described(asked)} (${asked.manifest} line ${asked.line})`;
  return { rule: 'package', evidence, confidence };
}

function described({ name, version }: Pick<Asked, 'name' | 'version'>): string {
  return version === '' ? name : `${name} ${version}`;
}

/** Returns the module of an import under the name that its provider knows. */
function moduleIn({ name: actual, importedAs }: Asked, { source }: ImportedName): string {
  return importedAs === undefined ? source : source.replace(importedAs, () => actual);
}
