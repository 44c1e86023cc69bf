import { fileClassOf, type SymbolKind } from '../../../../backends/codesearch/port.ts';
import { isDeclarationFile, parentOf, type Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import {
  candidates,
  distinctTargets,
  type Found,
  fitsKind,
  foundBy,
  type Meaning,
  maxCandidates,
} from './found.ts';
import { lookUp, lookUpType, oneOf } from './look-up.ts';
import { findImportedMember, findReceiverType, findVariableType } from './receiver-type.ts';
import type { Target } from './table-file.ts';
import { findAround, findInherited, findMemberOf, hasAllMembers } from './type-members.ts';

/** Maximum number of definitions of one name that are looked at. */
const maxNamed = 60;

/** Finds what a use means; `undefined` if that is unknown. */
export function findUse(names: FileNames, use: Use): Found | undefined {
  if (use.receiver === undefined) return findName(names, use);
  if (use.receiver === 'this') return findAround(names, use);
  if (use.receiver === 'super') return findInherited(names, use);
  return findMember(names, use, use.receiver);
}

function findName(names: FileNames, use: Use): Found | undefined {
  const isNamedHere = names.own(use) !== undefined || names.bindings(use.name).length > 0;
  // A member of the type around the use comes before what the file imports without naming it.
  const mayBeMember = names.language.implicitSelf && use.kind === 'call' && !isNamedHere;
  const member = mayBeMember ? findAround(names, use) : undefined;
  if (member !== undefined) return member;
  const found = lookUp(names, use);
  return found === 'elsewhere' ? undefined : found;
}

/** Finds a member by what its receiver is: a module, a type, or a value whose type is known or not. */
function findMember(names: FileNames, use: Use, receiver: string): Found | undefined {
  const { receiverType } = use;
  if (receiverType !== undefined && receiverType !== '')
    return findMemberOfType(names, use, findReceiverType(names, use, receiverType));
  const imported = findInPackage(names, use, receiver) ?? findImportedMember(names, use, receiver);
  if (imported !== undefined) return imported === 'elsewhere' ? undefined : imported;
  if (receiver === '') return findByName(names, use);
  const type = lookUpType(names, use, receiver.slice(receiver.lastIndexOf('.') + 1));
  const member = type && findMemberOf(names, type, use);
  if (member !== undefined) return member;
  const own = names.table.qualified(names.file.path, `${receiver}.${use.name}`);
  if (own !== undefined) return foundBy('same_file', own);
  if (lacksMember(names, receiver, type)) return undefined;
  return findMemberOfType(
    names,
    use,
    receiverType === undefined ? typeOfName(names, use, receiver) : undefined,
  );
}

/** Returns the type of a name that the file gives no type: a field of the type around it, or a variable of elsewhere. */
function typeOfName(names: FileNames, use: Use, receiver: string): Meaning {
  const field = names.language.implicitSelf
    ? findReceiverType(names, use, `this/${receiver.replaceAll('.', '/')}`)
    : undefined;
  return field ?? findVariableType(names, use, receiver);
}

/** Finds a member of a type, or of any if the type is not known. One of another repository has no member in this one. */
function findMemberOfType(names: FileNames, use: Use, type: Meaning): Found | undefined {
  if (type === 'elsewhere') return undefined;
  const member = type && findMemberOf(names, type, use);
  if (member !== undefined) return member;
  const lacksIt = type?.targets.length === 1 && hasAllMembers(names, type.targets[0]!);
  return lacksIt ? undefined : findByName(names, use);
}

/** Returns whether a receiver is a type that has no such member: one of elsewhere, or the only one of its name. */
function lacksMember({ language, table }: FileNames, receiver: string, type: Found | undefined): boolean {
  if (language.typeReceiver?.test(receiver) !== true) return false;
  const name = receiver.slice(receiver.lastIndexOf('.') + 1);
  return type?.targets.length === 1 || table.count(language.family, name) === 0;
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

/**
 * Finds a member of a variable of unknown type by its name alone. That is certain enough to follow only if the name is
 * defined once, and the file has to do with the one that defines it.
 */
function findByName(names: FileNames, use: Use): Found | undefined {
  const { family } = names.language;
  if (names.table.count(family, use.name) > maxNamed) return undefined;
  const accepts = (kind: SymbolKind): boolean => fitsKind(use.kind, kind);
  const named = names.table.named(family, use.name, { accepts, maxFiles: maxCandidates });
  if (named === undefined) return undefined;
  const members = implemented(distinctTargets(named)).filter(({ path }) => isWithinReach(names, path));
  const [only] = members;
  return only !== undefined && members.length === 1 && isKnown(names, use, only)
    ? foundBy('unique', only)
    : candidates(members);
}

/** Returns whether a receiver of unknown type surely has the only member of a name. */
function isKnown(names: FileNames, use: Use, only: Target): boolean {
  const { language } = names;
  const { receiver = '', receiverType } = use;
  // A variable whose type is known not to be a plain name is a container or a basic value. An expression may be
  // anything, and so may the placeholder of Scala.
  const mayBeKnown =
    receiver !== '' && receiver !== '_' && (receiverType === undefined || receiverType.startsWith('this/'));
  if (!mayBeKnown || language.builtInMethods?.has(use.name) === true) return false;
  if (language.attributesAreCalls === true && !isNamedLike(receiver, only)) return false;
  return only.symbol.kind === 'method' && names.isNear(only.path) && !isAround(names, use, only);
}

/** Returns whether a receiver has the name of the type of a member, or a part of it: `@leases` of `Acme.LeaseTable`. */
function isNamedLike(receiver: string, { symbol }: Target): boolean {
  // bounded: at most 300 characters (maxReceiver)
  const name = /(\w+?)s?(?:\(\))?$/.exec(receiver)?.[1]?.replaceAll('_', '').toLowerCase() ?? '';
  const owner = parentOf(symbol.qualifiedName).toLowerCase();
  return name.length > 2 && owner.includes(name);
}

/** Returns whether a file can use a definition of another one: that of a test only if they have to do with each other. */
function isWithinReach(names: FileNames, path: string): boolean {
  return names.isNear(path) || fileClassOf(path, names.file.language) !== 'test';
}

/** Leaves out declarations of what another file implements: `index.d.ts` beside `index.js`. */
function implemented(targets: readonly Target[]): readonly Target[] {
  const others = targets.filter(({ path }) => !isDeclarationFile(path));
  return others.length === 0 ? targets : others;
}

/**
 * Returns whether a definition is the one around a use, which has the name of what it passes a call on to, or a member
 * of a type around the use. A language that calls those without a receiver has one more likely for another type.
 */
function isAround(names: FileNames, use: Use, { path, symbol }: Target): boolean {
  const around = names.around(use);
  if (path === names.file.path && symbol.qualifiedName === around) return true;
  return names.language.implicitSelf && `${around}.`.startsWith(`${parentOf(symbol.qualifiedName)}.`);
}
