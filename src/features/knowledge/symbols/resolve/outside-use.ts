import type { ImportedName, Use } from '../../../../backends/languages/port.ts';
import type { FileNames } from './file-names.ts';

/** A use of a name that comes from elsewhere by an import. */
export interface OutsideUse {
  readonly use: Use;
  readonly imported: ImportedName;
  /** The names of the used definition in the module: `['Client', 'send']`; none for the module itself. */
  readonly path: readonly string[];
}

/** Returns the import that an unresolved use follows from, and the names in its module. */
export function findOutside(names: FileNames, use: Use): OutsideUse | undefined {
  const { name, receiver, receiverType } = use;
  if (receiver === undefined) return throughImport(names, use, name, []);
  if (receiver === 'this' || receiver === 'super') return undefined;
  const isTyped = receiverType !== undefined && receiverType !== '';
  const expression = isTyped ? constructed(names, receiverType) : receiver;
  return expression === undefined ? undefined : throughImport(names, use, expression, [name]);
}

/** Returns the type of a receiver; of a call, what it constructs. */
function constructed({ language }: FileNames, type: string): string | undefined {
  if (!type.endsWith('()')) return type;
  const called = type.slice(0, -2);
  return language.constructed?.test(called) === true ? called : undefined;
}

function throughImport(
  names: FileNames,
  use: Use,
  expression: string,
  rest: readonly string[],
): OutsideUse | undefined {
  const parts = expression.split('.');
  if (!parts.every((part) => /^[\p{L}\p{N}_$]+$/u.test(part))) return undefined;
  const whole = names.bindings(expression);
  const bound = whole.length > 0 ? whole : names.bindings(parts[0]!);
  const [first] = bound;
  if (first === undefined || bound.some(({ paths }) => paths.length > 0)) return undefined;
  const { imported } = first;
  const inside = whole.length > 0 ? [] : parts.slice(1);
  const own = imported.name === undefined || imported.name === '*' ? [] : [imported.name];
  return { use, imported, path: [...own, ...inside, ...rest] };
}
