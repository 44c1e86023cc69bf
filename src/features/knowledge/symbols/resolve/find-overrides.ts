import type { SymbolKind } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';
import { idOf, isType, maxCandidates } from './found.ts';
import type { Target } from './table-file.ts';
import { findBase } from './type-members.ts';

/** Maximum number of types, of files with heirs of one type, and of files in all that are looked at for a member. */
const max = { types: 60, heirs: 40, files: 100 } as const;

/**
 * Returns what else a call of a member may run: the members of that name of the types that inherit from its type, or
 * implement it. None if there are more than candidates may be. Where types do not say what they implement, any method
 * of the name may implement that of an interface.
 */
export function findOverrides(names: FileNames, member: Target): readonly Target[] {
  const { table, language } = names;
  const owner = table.around(member);
  if (owner === undefined || !isType(owner)) return [];
  if (language.implementsUnnamed) return owner.symbol.kind === 'interface' ? methodsOf(names, member) : [];
  const found: Target[] = [];
  const types = [owner];
  const seen = new Set([idOf(owner)]);
  let files = 0;
  for (const type of types) {
    const paths = table.inheriting(language.family, type.symbol.name, max.heirs) ?? [];
    files += paths.length;
    if (files > max.files) break;
    for (const heir of heirsIn(names, paths, type)) {
      if (seen.has(idOf(heir)) || types.length >= max.types) continue;
      seen.add(idOf(heir));
      types.push(heir);
      const own = table.qualified(heir.path, `${heir.symbol.qualifiedName}.${member.symbol.name}`);
      if (own !== undefined) found.push(own);
      if (found.length > maxCandidates) return [];
    }
  }
  return found;
}

/** Returns the types in some files that name a type as their base. */
function heirsIn(names: FileNames, paths: readonly string[], base: Target): readonly Target[] {
  return paths.flatMap((path) => {
    const file = names.of(path);
    return (file?.heirs(base.symbol.name) ?? []).flatMap(({ type, reference }) => {
      const found = findBase(file!, reference);
      return found?.targets.length === 1 && idOf(found.targets[0]!) === idOf(base)
        ? [{ path, symbol: type }]
        : [];
    });
  });
}

function methodsOf({ table, language }: FileNames, member: Target): readonly Target[] {
  const search = { accepts: (kind: SymbolKind) => kind === 'method', maxFiles: maxCandidates };
  const named = table.named(language.family, member.symbol.name, search) ?? [];
  const others = named.filter((each) => idOf(each) !== idOf(member));
  return others.length > maxCandidates ? [] : others;
}
