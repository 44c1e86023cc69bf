import { parentOf, type Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import { confidenceOf, type Found, foundBy, isType, noSurerThan, type Reason } from './found.ts';
import { lookUpType, lookUpWrittenType } from './look-up.ts';
import type { Target } from './table-file.ts';

/** Maximum number of types that a search for an inherited member looks at. */
const maxTypes = 20;

/** A type by its qualified name, and the file of its definition. */
interface TypePlace {
  readonly path: string;
  readonly qualifiedName: string;
}

/**
 * Searches a type and then those it inherits from, breadth last. Returns the first value that `read` gives, with the
 * weakest reason of the types that lead to it.
 */
function searchTypes<Value>(
  names: FileNames,
  type: TypePlace,
  read: (place: TypePlace, isFirst: boolean) => (Reason & Value) | undefined,
): (Reason & Value) | undefined {
  const seen = new Set<string>();
  const search = (place: TypePlace, isFirst: boolean): (Reason & Value) | undefined => {
    const { path, qualifiedName } = place;
    const key = `${path}#${qualifiedName}`;
    if (seen.has(key) || seen.size >= maxTypes) return undefined;
    seen.add(key);
    const found = read(place, isFirst);
    if (found !== undefined) return found;
    const file = names.of(path);
    if (file === undefined) return undefined;
    for (const base of file.bases(qualifiedName)) {
      const bases = findBase(file, base);
      if (bases?.targets.length !== 1) continue;
      const [target] = bases.targets;
      const inherited = search(placeOf(target!), false);
      if (inherited === undefined) continue;
      const confidence = Math.min(inherited.confidence, bases.confidence);
      return isFirst ? { ...inherited, rule: bases.rule, confidence } : { ...inherited, confidence };
    }
    return undefined;
  };
  return search(type, true);
}

/** Returns the base type that a reference of a type names. */
export function findBase(file: FileNames, base: Use): Found | undefined {
  const { receiver = '', name } = base;
  const imported = receiver === '' ? undefined : lookUpWrittenType(file, base, `${receiver}.${name}`);
  return imported ?? lookUpType(file, base, name);
}

/** Finds a member of a type, in its file, in others that add to it, or in the types it inherits from; or only in those. */
function findTypeMember(
  names: FileNames,
  type: TypePlace,
  use: Use,
  { inherited = false } = {},
): Found | undefined {
  return searchTypes(names, type, (place, isFirst) =>
    isFirst && inherited ? undefined : memberOf(names, place, use.name),
  );
}

/** A type as a declaration names it, and the file of the declaration. */
interface DeclaredType extends Reason {
  readonly written: string;
  readonly path: string;
}

/** Returns the declared type of a field, or of the result of a method (with `()`), of a type or one it inherits from. */
export function declaredType(names: FileNames, type: Found, step: string): DeclaredType | undefined {
  const [target] = type.targets;
  if (target === undefined || type.targets.length !== 1) return undefined;
  const isCall = step.endsWith('()');
  const name = isCall ? step.slice(0, -2) : step;
  const found = searchTypes(names, placeOf(target), ({ path, qualifiedName }): DeclaredType | undefined => {
    const fields = isCall ? undefined : names.table.qualified(path, qualifiedName)?.symbol.fields;
    if (fields !== undefined && Object.hasOwn(fields, name))
      return { written: fields[name]!, path, rule: 'same_file', confidence: confidenceOf.same_file };
    const member = memberOf(names, { path, qualifiedName }, name);
    const [method] = member?.targets ?? [];
    if (member === undefined || method?.symbol.returns === undefined) return undefined;
    const { rule, confidence } = member;
    return { written: method.symbol.returns, path: method.path, rule, confidence };
  });
  return noSurerThan(type, found);
}

function placeOf({ path, symbol: { qualifiedName } }: Target): TypePlace {
  return { path, qualifiedName };
}

/**
 * Returns whether nothing but the repository can give a type members: it is a class whose base types are known, not
 * another name for an expression.
 */
export function hasAllMembers(names: FileNames, type: Target): boolean {
  const seen = new Set<Target>();
  const isComplete = (target: Target): boolean => {
    if (seen.has(target) || seen.size >= maxTypes) return true;
    seen.add(target);
    const file = names.of(target.path);
    if (file === undefined || target.symbol.kind === 'type') return false;
    return file.bases(target.symbol.qualifiedName).every((base) => {
      const found = findBase(file, base);
      // A type of elsewhere has no member of this repository.
      return found === undefined || (found.targets.length === 1 && isComplete(found.targets[0]!));
    });
  };
  return isComplete(type);
}

/** Returns the innermost type around a use. */
export function typeAround(names: FileNames, use: Use): Found | undefined {
  const { path } = names.file;
  for (let around = names.around(use); around !== ''; around = parentOf(around)) {
    const type = names.table.qualified(path, around);
    if (type !== undefined && isType(type)) return foundBy('same_file', type);
    // The methods of a type may be in other files than the type (Go, C++, Rust).
    if (type === undefined && !around.includes('.')) return lookUpType(names, use, around);
  }
  return undefined;
}

/** Returns whether several files open a type, where nothing tells the main one. */
function isReopened({ language, file, table }: FileNames, own: Target, qualifiedName: string): boolean {
  return (
    language.reopensTypes === true && isType(own) && table.hasSeveral(file.language, own.path, qualifiedName)
  );
}

function memberOf(names: FileNames, { path, qualifiedName }: TypePlace, name: string): Found | undefined {
  const sought = `${qualifiedName}.${name}`;
  const own = names.table.qualified(path, sought);
  if (own !== undefined) return isReopened(names, own, sought) ? undefined : foundBy('same_file', own);
  // The methods of one type may be in several files of a package (Go, C#, Rust, C++).
  const other = names.table.onlyMember(names.file.language, path, sought);
  return other && foundBy('same_package', other);
}

/** Finds a member of the types around a use, the innermost first. */
export function findAround(names: FileNames, use: Use): Found | undefined {
  const { path } = names.file;
  for (let around = names.around(use); around !== ''; around = parentOf(around)) {
    const found = findTypeMember(names, { path, qualifiedName: around }, use);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Finds what the innermost type around a use inherits. */
export function findInherited(names: FileNames, use: Use): Found | undefined {
  const [type] = typeAround(names, use)?.targets ?? [];
  return type && findTypeMember(names, placeOf(type), use, { inherited: true });
}

/** Finds a member of a type that was itself found: the weaker of both decides. */
export function findMemberOf(names: FileNames, type: Found, use: Use): Found | undefined {
  if (type.targets.length !== 1) return undefined;
  return noSurerThan(type, findTypeMember(names, placeOf(type.targets[0]!), use));
}
