import type { SymbolKind } from './outline.ts';

const typeKinds: ReadonlySet<SymbolKind> = new Set([
  'class',
  'interface',
  'struct',
  'enum',
  'type',
  'module',
  'other',
]);

/** Returns whether a definition of a kind can have members. */
export function isTypeKind(kind: SymbolKind): boolean {
  return typeKinds.has(kind);
}
