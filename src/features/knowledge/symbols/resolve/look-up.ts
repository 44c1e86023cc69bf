import type { SymbolKind } from '../../../../backends/codesearch/port.ts';
import type { Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import {
  candidates,
  distinctTargets,
  type Found,
  fitsKind,
  foundBy,
  isMemberKind,
  maxCandidates,
} from './found.ts';
import type { Target } from './table-file.ts';

/** Maximum number of definitions of one name that are looked at. */
const maxNamed = 200;

/** Returns what a name means in its file and by its imports; `elsewhere` if it is imported from another repository. */
export function lookUpInFile(names: FileNames, use: Use): Found | 'elsewhere' | undefined {
  const own = names.own(use);
  if (own !== undefined) return foundBy('same_file', own);
  const bound = names.bindings(use.name);
  if (bound.length > 0) {
    const targets = bound.flatMap(({ imported, paths }) => {
      // A whole module that is used as a value is what it exports as default (`module.exports = name`).
      const named = names.exported(paths, imported.name ?? 'default', use.kind);
      // The meaning of a default export may be unknown: the file then defines it by the name of the importer.
      return named.length > 0 || imported.name !== 'default'
        ? named
        : names.exported(paths, use.name, use.kind);
    });
    return oneOf('imported', distinctTargets(targets)) ?? 'elsewhere';
  }
  return oneOf('imported', names.fromWildcards(use.name, use.kind));
}

/** Returns what a name means that the file neither defines nor imports. */
export function lookUpOutside(names: FileNames, { name, kind }: Use): Found | undefined {
  const { outerNames, family, implicitSelf } = names.language;
  if (outerNames === 'nowhere') return undefined;
  const accepts = (outer: SymbolKind): boolean =>
    fitsKind(kind, outer) && (!isMemberKind(outer) || (implicitSelf && outerNames === 'repository'));
  for (const files of names.packageFiles()) {
    const around = names.table.inSet(family, files, name);
    const near = around.filter(({ symbol }) => accepts(symbol.kind));
    if (near.length > 0) return oneOf('same_package', distinctTargets(near));
  }
  if (outerNames === 'package') return undefined;
  if (names.table.count(family, name) > maxNamed) return undefined;
  const all = names.table.named(family, name, { accepts, maxFiles: maxCandidates });
  const shared = all?.filter((target) => isShared(names, target));
  return shared && oneOf('unique', distinctTargets(shared));
}

function isShared({ language, table, file }: FileNames, { path, symbol: { kind } }: Target): boolean {
  return (
    language.isShared?.({ path, kind }, file.path, (name) => table.endingWith(name).length > 0) !== false
  );
}

/** Returns the type that a name means. */
export function lookUpType(names: FileNames, use: Use, name: string): Found | undefined {
  const sought: Use = { ...use, kind: 'type', name, receiver: undefined };
  const found = lookUpInFile(names, sought) ?? lookUpOutside(names, sought);
  return found === 'elsewhere' ? undefined : found;
}

/** Returns the only target by a rule; several are candidates. */
export function oneOf(rule: Parameters<typeof foundBy>[0], targets: readonly Target[]): Found | undefined {
  return targets.length === 1 ? foundBy(rule, targets[0]!) : candidates(targets);
}
