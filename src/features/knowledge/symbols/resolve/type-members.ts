import type { Use } from '../../../../backends/languages/port.ts';
import { type FileNames, parentOf } from './file-names.ts';
import { confidenceOf, type Found, foundBy, isType } from './found.ts';
import { lookUpType } from './look-up.ts';
import type { Target } from './table-file.ts';

/** Maximum number of types that a search for an inherited member looks at. */
const maxTypes = 20;

/** A type by its qualified name, and the file of its definition. */
interface TypePlace {
  readonly path: string;
  readonly qualifiedName: string;
}

/**
 * Finds a member of a type, in its file, in others that add to it, or in the types it inherits from; `inherited`: only
 * in those.
 */
function findTypeMember(
  names: FileNames,
  type: TypePlace,
  use: Use,
  { inherited: isInherited = false } = {},
): Found | undefined {
  const seen = new Set<string>();
  const search = ({ path, qualifiedName }: TypePlace, isFirst: boolean): Found | undefined => {
    const key = `${path}#${qualifiedName}`;
    if (seen.has(key) || seen.size >= maxTypes) return undefined;
    seen.add(key);
    const skips = isFirst && isInherited;
    const found = skips ? undefined : memberOf(names, { path, qualifiedName }, use.name);
    if (found !== undefined) return found;
    const file = names.of(path);
    if (file === undefined) return undefined;
    for (const base of file.bases(qualifiedName)) {
      const bases = lookUpType(file, base, base.name);
      if (bases?.targets.length !== 1) continue;
      const [target] = bases.targets;
      const inherited = search({ path: target!.path, qualifiedName: target!.symbol.qualifiedName }, false);
      if (inherited === undefined) continue;
      const confidence = Math.min(inherited.confidence, bases.confidence);
      return isFirst ? { ...inherited, rule: bases.rule, confidence } : { ...inherited, confidence };
    }
    return undefined;
  };
  return search(type, true);
}

function memberOf(names: FileNames, { path, qualifiedName }: TypePlace, name: string): Found | undefined {
  const sought = `${qualifiedName}.${name}`;
  const own = names.table.qualified(path, sought);
  if (own !== undefined) return foundBy('same_file', own);
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
  const { path } = names.file;
  for (let around = names.around(use); around !== ''; around = parentOf(around)) {
    const type = names.table.qualified(path, around);
    if (type === undefined || !isType(type)) continue;
    return findTypeMember(names, { path, qualifiedName: around }, use, { inherited: true });
  }
  return undefined;
}

/** Finds a member of a type that was itself found: the weaker of both decides. */
export function findMemberOf(names: FileNames, type: Found, use: Use): Found | undefined {
  if (type.targets.length !== 1) return undefined;
  const { path, symbol }: Target = type.targets[0]!;
  const member = findTypeMember(names, { path, qualifiedName: symbol.qualifiedName }, use);
  if (member === undefined) return undefined;
  return member.confidence <= type.confidence && member.confidence < confidenceOf.same_file
    ? member
    : { ...member, rule: type.rule, confidence: type.confidence };
}
