import type { SymbolKind } from '../../../../backends/codesearch/port.ts';
import type { Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import {
  candidates,
  distinctTargets,
  type Found,
  fitsKind,
  foundBy,
  isMember,
  isMemberKind,
  isType,
  type Meaning,
  maxCandidates,
} from './found.ts';
import type { Target } from './table-file.ts';

/** Maximum number of definitions of one name that are looked at. */
const maxNamed = 200;

/** Returns what a name means in its file and by its imports; `elsewhere` if it is imported from another repository. */
export function lookUpInFile(names: FileNames, use: Use): Meaning {
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
export function lookUpOutside(names: FileNames, use: Use): Found | undefined {
  const { name, kind } = use;
  const { outerNames, family, implicitSelf } = names.language;
  if (outerNames === 'nowhere') return undefined;
  const accepts = (outer: SymbolKind): boolean =>
    fitsKind(kind, outer) && (!isMemberKind(outer) || (implicitSelf && outerNames === 'repository'));
  for (const files of names.packageFiles()) {
    const around = names.table.inFiles(names.table.definingIn(files, family, name), name);
    const near = around.filter((target) => accepts(target.symbol.kind) && !isLocal(names, target));
    if (near.length === 0) continue;
    const open = near.filter((target) => !isNested(names, use, target));
    return open.length > 0 ? oneOf('same_package', distinctTargets(open)) : candidates(distinctTargets(near));
  }
  if (outerNames === 'package') return undefined;
  if (names.table.count(family, name) > maxNamed) return undefined;
  const all = names.table.named(family, name, { accepts, maxFiles: maxCandidates });
  const shared = all && distinctTargets(all.filter((target) => isShared(names, target)));
  return (
    shared &&
    (shared.every((target) => isCallable(names, target)) ? oneOf('unique', shared) : candidates(shared))
  );
}

/** Returns whether a definition is inside of a function or variable, so that no other file can name it. */
function isLocal({ table }: FileNames, target: Target): boolean {
  const around = table.around(target);
  return around !== undefined && !isType(around);
}

/** Returns whether what a use calls is inside of a type that is not around the use, so that it does not see it by itself. */
function isNested(names: FileNames, use: Use, target: Target): boolean {
  if (use.kind !== 'call' && use.kind !== 'new') return false;
  const around = names.table.around(target);
  if (around === undefined || around.symbol.kind === 'module') return false;
  return !`${names.around(use)}.`.startsWith(`${around.symbol.qualifiedName}.`);
}

/** Returns whether a use outside of its type can name a definition without a receiver. */
function isCallable({ language, file }: FileNames, target: Target): boolean {
  return !isMember(target) || (language.macrosEnclose === true && target.path === file.path);
}

function isShared({ language, table, file }: FileNames, { path, symbol: { kind } }: Target): boolean {
  return (
    language.isShared?.({ path, kind }, file.path, (name) => table.endingWith(name).length > 0) !== false
  );
}

/** Returns what a name means, wherever that is defined. */
export function lookUp(names: FileNames, use: Use): Meaning {
  return lookUpInFile(names, use) ?? lookUpOutside(names, use);
}

/** Returns the type that a name means. */
export function lookUpType(names: FileNames, use: Use, name: string): Found | undefined {
  const found = lookUp(names, { ...use, kind: 'type', name, receiver: undefined });
  return found === 'elsewhere' ? undefined : found;
}

/** Returns the type that a written one means: `Type`, or `module.Type` of an imported module. */
export function lookUpWrittenType(names: FileNames, use: Use, written: string): Found | undefined {
  const dot = written.lastIndexOf('.');
  if (dot < 0) return lookUpType(names, use, written);
  const paths = names.boundFiles(written.slice(0, dot));
  return oneOf('imported', names.exported(paths, written.slice(dot + 1), 'type'));
}

/** Returns the only target by a rule; several are candidates. */
export function oneOf(rule: Parameters<typeof foundBy>[0], targets: readonly Target[]): Found | undefined {
  return targets.length === 1 ? foundBy(rule, targets[0]!) : candidates(targets);
}
