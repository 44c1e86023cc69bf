import type { FileSymbol, ImportedName } from '../../../backends/languages/port.ts';
import { isType } from '../symbols/resolve/found.ts';
import type { TableFile } from '../symbols/resolve/table-file.ts';
import { partsOf } from './parsed-files.ts';

/**
 * The names whose meaning in other files a change may affect; `all` if that cannot be told by names, because a type,
 * its base types, or what a file passes on under another name decides what further names mean.
 */
export type ChangedNames = ReadonlySet<string> | 'all';

/** Compares what other files see of two versions of a file. Lines do not matter. */
export function changedNames(before: TableFile | undefined, after: TableFile | undefined): ChangedNames {
  if (before === undefined || after === undefined) return before === after ? new Set() : 'all';
  if (frameOf(before) !== frameOf(after)) return 'all';
  const imported = changedImports(before, after);
  if (imported === 'all') return 'all';
  const names = new Set(imported);
  const [former, latter] = [definitionsOf(before), definitionsOf(after)];
  for (const name of new Set([...former.keys(), ...latter.keys()])) {
    const [old, now] = [former.get(name) ?? [], latter.get(name) ?? []];
    for (const field of changedFields(old, now)) names.add(field);
    if (describe(old) === describe(now)) continue;
    if ([...old, ...now].some((symbol) => isType({ path: after.path, symbol }))) return 'all';
    names.add(name);
  }
  return names;
}

export function together(changes: readonly ChangedNames[]): ChangedNames {
  const names = new Set<string>();
  for (const change of changes) {
    if (change === 'all') return 'all';
    for (const name of change) names.add(name);
  }
  return names;
}

/** Language, package and base types. */
function frameOf({ language, package: declared, references, symbols }: TableFile): string {
  const bases = references.map(({ name, receiver, receiverType, from }) => [
    name,
    receiver,
    receiverType,
    from === undefined ? undefined : symbols[from]?.qualifiedName,
  ]);
  return JSON.stringify([language, declared, bases]);
}

function definitionsOf({ symbols }: TableFile): ReadonlyMap<string, readonly FileSymbol[]> {
  return Map.groupBy(symbols, ({ name }) => name);
}

function describe(symbols: readonly FileSymbol[]): string {
  return JSON.stringify(symbols.map(({ qualifiedName, kind, returns }) => [qualifiedName, kind, returns]));
}

/** Returns the fields of a type whose declared types differ. Who uses a field names it. */
function changedFields(old: readonly FileSymbol[], now: readonly FileSymbol[]): readonly string[] {
  const [former, latter] = [fieldsOf(old), fieldsOf(now)];
  const names = new Set([...former.keys(), ...latter.keys()]);
  return [...names].filter((name) => former.get(name) !== latter.get(name));
}

function fieldsOf(symbols: readonly FileSymbol[]): ReadonlyMap<string, string> {
  return new Map(symbols.flatMap(({ fields = {} }) => Object.entries(fields)));
}

function changedImports(before: TableFile, after: TableFile): ChangedNames {
  const [former, latter] = [importsOf(before), importsOf(after)];
  const names = new Set<string>();
  for (const id of new Set([...former.keys(), ...latter.keys()])) {
    const [old, now] = [former.get(id) ?? [], latter.get(id) ?? []];
    const [imported] = [...old, ...now];
    if (imported === undefined || old.length === now.length) continue;
    const { name, local } = imported;
    if (name === '*' || namesType(before, local) || namesType(after, local)) return 'all';
    const bound = new Set(local === undefined ? [] : [local]);
    for (const table of [before, after]) for (const each of variablesFrom(table, bound)) names.add(each);
    if (name !== undefined && local !== undefined) names.add(local);
  }
  return names;
}

function importsOf({ imports }: TableFile): ReadonlyMap<string, readonly ImportedName[]> {
  return Map.groupBy(imports, ({ source, name, local }) => JSON.stringify([source, name, local]));
}

/** Returns whether a declared result, the type of a field, or a base type in a file contains a name. */
export function namesType({ symbols, references }: TableFile, name: string | undefined): boolean {
  if (name === undefined) return false;
  return (
    symbols.some(
      ({ kind, returns, fields = {} }) =>
        (!isVariable(kind) && partsOf(returns).includes(name)) ||
        Object.values(fields).some((type) => partsOf(type).includes(name)),
    ) || references.some((use) => use.name === name || partsOf(use.receiver).includes(name))
  );
}

/** Returns the variables of a file whose types follow from some names. */
export function variablesFrom({ symbols }: TableFile, names: ReadonlySet<string>): readonly string[] {
  return symbols.flatMap(({ kind, name, returns }) =>
    isVariable(kind) && partsOf(returns).some((part) => names.has(part)) ? [name] : [],
  );
}

function isVariable(kind: FileSymbol['kind']): boolean {
  return kind === 'variable' || kind === 'constant';
}
