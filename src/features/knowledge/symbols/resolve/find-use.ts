import type { SymbolKind } from '../../../../backends/codesearch/port.ts';
import type { Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import {
  candidates,
  distinctTargets,
  type Found,
  fitsKind,
  foundBy,
  isType,
  maxCandidates,
} from './found.ts';
import { lookUpInFile, lookUpOutside, lookUpType, oneOf } from './look-up.ts';
import type { Target } from './table-file.ts';
import { findAround, findInherited, findMemberOf } from './type-members.ts';

/** Maximum number of members of one name that are looked at. */
const maxMembers = 20;

/** Finds what a use means; `undefined` if that is unknown. */
export function findUse(names: FileNames, use: Use): Found | undefined {
  if (use.receiver === undefined) return findName(names, use);
  if (use.receiver === 'this') return findAround(names, use);
  if (use.receiver === 'super') return findInherited(names, use);
  return findMember(names, use, use.receiver);
}

function findName(names: FileNames, use: Use): Found | undefined {
  const found = lookUpInFile(names, use);
  if (found !== undefined) return found === 'elsewhere' ? undefined : found;
  const inherited = names.language.implicitSelf && use.kind === 'call' ? findAround(names, use) : undefined;
  return inherited ?? lookUpOutside(names, use);
}

/** Finds a member by what its receiver is: a module, a type, or a variable of unknown type. */
function findMember(names: FileNames, use: Use, receiver: string): Found | undefined {
  const { receiverType } = use;
  if (receiverType?.endsWith('()') === true) return findResultMember(names, use, receiverType.slice(0, -2));
  if (receiverType !== undefined && receiverType !== '') return findTypedMember(names, use, receiverType);
  const imported = findInPackage(names, use, receiver) ?? findImportedMember(names, use, receiver);
  if (imported !== undefined) return imported === 'elsewhere' ? undefined : imported;
  if (receiver !== '') {
    const type = lookUpType(names, use, receiver.slice(receiver.lastIndexOf('.') + 1));
    const member = type && findMemberOf(names, type, use);
    if (member !== undefined) return member;
    const own = names.table.qualified(names.file.path, `${receiver}.${use.name}`);
    if (own !== undefined) return foundBy('same_file', own);
    if (lacksMember(names, receiver, type)) return undefined;
  }
  return findByName(names, use);
}

/** Returns whether a receiver is a type that has no such member: one of elsewhere, or the only one of its name. */
function lacksMember({ language, table }: FileNames, receiver: string, type: Found | undefined): boolean {
  if (language.typeReceiver?.test(receiver) !== true) return false;
  const name = receiver.slice(receiver.lastIndexOf('.') + 1);
  return type?.targets.length === 1 || table.count(language.family, name) === 0;
}

/** Finds a member of a variable by its declared type. A type of another repository has no member in this one. */
function findTypedMember(names: FileNames, use: Use, type: string): Found | undefined {
  const found = findType(names, use, type);
  return found && findMemberOf(names, found, use);
}

function findType(names: FileNames, use: Use, type: string): Found | undefined {
  const dot = type.lastIndexOf('.');
  return dot < 0
    ? lookUpType(names, use, type)
    : findImportedType(names, type.slice(0, dot), type.slice(dot + 1));
}

/** Finds a member of the result of a function by the type that the function declares. */
function findResultMember(names: FileNames, use: Use, callee: string): Found | undefined {
  const { receiverType: _, ...unknown } = use;
  const type = findResultType(names, unknown, callee);
  if (type === 'elsewhere') return undefined;
  return type === undefined ? findByName(names, unknown) : findMemberOf(names, type, use);
}

/** Returns the type of what a call returns: of a constructor the type itself, of a function the declared result. */
function findResultType(names: FileNames, use: Use, callee: string): Found | 'elsewhere' | undefined {
  const dot = callee.lastIndexOf('.');
  const receiver = dot < 0 ? undefined : callee.slice(0, dot);
  const call: Use = { ...use, kind: 'call', name: callee.slice(dot + 1), receiver };
  const known =
    receiver === undefined ? lookUpInFile(names, call) : findImportedMember(names, call, receiver);
  const found = known ?? findUse(names, call);
  if (found === 'elsewhere' || found === undefined || found.rule === 'candidates')
    return onlyElsewhere(found);
  const [target] = found.targets;
  return target === undefined || isType(target) ? found : findDeclaredResult(names, call, found, target);
}

function onlyElsewhere(found: Found | 'elsewhere' | undefined): 'elsewhere' | undefined {
  return found === 'elsewhere' ? found : undefined;
}

function findDeclaredResult(
  names: FileNames,
  call: Use,
  found: Found,
  { path, symbol: { returns } }: Target,
): Found | 'elsewhere' | undefined {
  const file = names.of(path);
  if (returns === undefined || file === undefined) return undefined;
  const type = findType(file, { ...call, receiver: undefined, from: undefined }, returns);
  if (type === undefined) return 'elsewhere';
  const { rule, confidence } = found;
  return type.confidence <= confidence ? type : { ...type, rule, confidence };
}

function findImportedType(names: FileNames, receiver: string, name: string): Found | undefined {
  const paths = names.bindings(receiver).flatMap((bound) => bound.paths);
  return oneOf('imported', names.exported(paths, name, 'type'));
}

function findImportedMember(names: FileNames, use: Use, receiver: string): Found | 'elsewhere' | undefined {
  const whole = names.bindings(receiver);
  const head = receiver.split('.', 1)[0]!;
  const bound = whole.length > 0 ? whole : names.bindings(head);
  if (bound.length === 0) return undefined;
  if (bound.every(({ paths }) => paths.length === 0)) return 'elsewhere';
  const isWhole = whole.length > 0;
  for (const { imported, paths } of bound) {
    const isModule = imported.name === undefined || isSubmodule(names, imported.name, paths);
    if (isModule && isWhole) {
      const found = oneOf('imported', names.exported(paths, use.name, use.kind));
      if (found !== undefined) return found;
    }
    const typeName = isModule || !isWhole ? receiver.slice(receiver.lastIndexOf('.') + 1) : imported.name;
    const types = typeName === undefined ? [] : names.exported(paths, typeName, 'type');
    const type = oneOf('imported', types);
    const member = type && findMemberOf(names, type, use);
    if (member !== undefined) return member;
  }
  return undefined;
}

/** Finds a name in the package before it, or a member of a type there: `new Psr7\Uri()`, `Psr7\Utils::copy()`. */
function findInPackage(names: FileNames, use: Use, receiver: string): Found | undefined {
  if (names.language.packageSeparator === undefined || names.language.typeReceiver?.test(receiver) !== true)
    return undefined;
  const found = oneOf('imported', names.exported(packageFiles(names, receiver), use.name, use.kind));
  const dot = receiver.lastIndexOf('.');
  if (found !== undefined || dot < 0) return found;
  const paths = packageFiles(names, receiver.slice(0, dot));
  const type = oneOf('imported', names.exported(paths, receiver.slice(dot + 1), 'type'));
  return type && findMemberOf(names, type, use);
}

/** Returns the files of a package as written: below an imported one, or else below that of the file or the root. */
function packageFiles(names: FileNames, written: string): readonly string[] {
  const { packageSeparator = '', family } = names.language;
  const parts = written.split('.');
  const bound = names
    .bindings(parts[0]!)
    .map(({ imported: { source, name } }) => [source, name, ...parts.slice(1)]);
  const around = [[names.file.package, ...parts], parts];
  return (bound.length > 0 ? bound : around).flatMap((path) =>
    names.table.inPackage(
      family,
      path.filter((part) => part !== undefined && part !== '').join(packageSeparator),
    ),
  );
}

/** Returns whether an imported name is a module itself: `from package import module`, `use crate::module`. */
function isSubmodule(names: FileNames, name: string, paths: readonly string[]): boolean {
  const { family } = names.language;
  if (family !== 'python' && family !== 'rust') return false;
  return paths.some(
    (path) =>
      path.endsWith(`/${name}.py`) ||
      path === `${name}.py` ||
      path.endsWith(`/${name}/__init__.py`) ||
      path.endsWith(`/${name}.rs`) ||
      path.endsWith(`/${name}/mod.rs`),
  );
}

/**
 * Finds a member of a variable of unknown type by its name alone. That is certain enough to follow only if the name is
 * defined once, and the file has to do with the one that defines it.
 */
function findByName(names: FileNames, use: Use): Found | undefined {
  const { family } = names.language;
  if (names.table.count(family, use.name) > maxMembers) return undefined;
  const accepts = (kind: SymbolKind): boolean => fitsKind(use.kind, kind);
  const named = names.table.named(family, use.name, { accepts, maxFiles: maxCandidates });
  if (named === undefined) return undefined;
  const members = implemented(distinctTargets(named));
  const [only] = members;
  // A variable whose type is known not to be a plain name is a container or a basic value. An expression may be
  // anything.
  const mayBeKnown =
    use.receiver !== '' &&
    use.receiverType === undefined &&
    names.language.builtInMethods?.has(use.name) !== true;
  const isCertain =
    mayBeKnown &&
    members.length === 1 &&
    only!.symbol.kind === 'method' &&
    names.isNear(only!.path) &&
    !isAround(names, use, only!);
  return isCertain ? foundBy('unique', only!) : candidates(members);
}

const declares = /\.d\.[cm]?ts$|\.pyi$/u;

/** Leaves out declarations of what another file implements: `index.d.ts` beside `index.js`. */
function implemented(targets: readonly Target[]): readonly Target[] {
  const others = targets.filter(({ path }) => !declares.test(path));
  return others.length === 0 ? targets : others;
}

/** Returns whether a definition is the one around a use. One that passes a call on has the name of what it calls. */
function isAround(names: FileNames, use: Use, { path, symbol }: Target): boolean {
  return path === names.file.path && symbol.qualifiedName === names.around(use);
}
