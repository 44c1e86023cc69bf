import type { ParsedFile, ResolvedImport, Use } from '../../../../backends/languages/port.ts';
import { languages } from '../../../../backends/languages/port.ts';
import { FileNames } from './file-names.ts';
import { findOverrides } from './find-overrides.ts';
import { findUse } from './find-use.ts';
import { confidenceOfOverride, type Found, isMember } from './found.ts';
import { findOutside, type OutsideUse } from './outside-use.ts';
import type { SymbolTable } from './symbol-table.ts';
import type { Target } from './table-file.ts';

/** A use with what it means. */
export interface ResolvedUse extends Found {
  readonly use: Use;
}

export interface ResolvedFile {
  readonly imports: readonly ResolvedImport[];
  readonly uses: readonly ResolvedUse[];
  /** Uses of names that this repository does not define, or too many times. */
  readonly unresolved: readonly Use[];
  /** Those of `unresolved` whose names come from elsewhere by an import. */
  readonly outside: readonly OutsideUse[];
}

/**
 * Finds what the imports and uses of a file mean. Pure: it depends on the table and the file alone. A use resolves in
 * tiers, and the first tier that knows the name decides: the same file (100), an imported name (90), the same package
 * or the only definition in the repository (60). These are certain. A call of a member may also run what a type that
 * inherits it has instead (25), and a name that nothing connects with one definition may be one of its candidates (20
 * or less). What stays unresolved is not guessed.
 */
export function resolveFile(table: SymbolTable, file: ParsedFile): ResolvedFile {
  const language = languages.get(file.language);
  if (language === undefined) return { imports: [], uses: [], unresolved: [], outside: [] };
  table.begin();
  const names = new FileNames(table, language, file);
  const uses: ResolvedUse[] = [];
  const unresolved: Use[] = [];
  // The same name in the same definition means the same.
  const known = new Map<string, Found | undefined>();
  const overrides = new Map<Target, readonly Target[]>();
  for (const use of [...file.calls, ...file.references]) {
    const { kind, name, receiver, receiverType } = use;
    const id = JSON.stringify([kind, name, receiver, receiverType, names.around(use)]);
    const found = known.has(id) ? known.get(id) : findUse(names, use);
    known.set(id, found);
    if (found === undefined) unresolved.push(use);
    else uses.push({ use, ...found });
    if (found !== undefined) uses.push(...overriding(names, use, found, overrides));
  }
  const outside = unresolved.flatMap((use) => findOutside(names, use) ?? []);
  return { imports: names.imports, uses, unresolved, outside };
}

/** Returns what a call may run instead of the member that it names: that of a type which inherits from its type. */
function overriding(
  names: FileNames,
  use: Use,
  { rule, targets }: Found,
  known: Map<Target, readonly Target[]>,
): readonly ResolvedUse[] {
  const [member] = targets;
  if (use.kind !== 'call' || use.receiver === 'super' || rule === 'candidates' || member === undefined)
    return [];
  if (!isMember(member)) return [];
  const found = known.get(member) ?? findOverrides(names, member);
  known.set(member, found);
  return found.length === 0
    ? []
    : [{ use, targets: found, rule: 'overrides', confidence: confidenceOfOverride }];
}
