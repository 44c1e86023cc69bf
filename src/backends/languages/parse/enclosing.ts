import type { Definition, FileSymbol } from '../outline.ts';

/** A node that encloses code, as a query found it. */
export interface Scope {
  readonly name: string;
  /** Line of the name; 1-based. */
  readonly line: number;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  /** The type that the definition belongs to if it is not around it. */
  readonly owner: string | undefined;
  /** The variable of the instance. */
  readonly self: string | undefined;
  /** The declared type of its result, if that is a plain name. */
  readonly returns?: string | undefined;
  /** True if it only names the type of its members. */
  readonly isContainer: boolean;
}

/** A scope that is a definition of the index, or a container. */
interface KeptScope extends Scope {
  readonly parent: KeptScope | undefined;
  /** The position of its symbol. */
  readonly symbol: number | undefined;
  readonly qualifiedName: string;
}

/** The definitions of a file, and what encloses each place. */
export interface Enclosing {
  readonly symbols: readonly FileSymbol[];
  /** Returns the innermost definition around an offset, and the variable of the instance there. */
  at(offset: number): { readonly symbol: number | undefined; readonly self: string | undefined };
}

/** Length of a qualified name from which a definition encloses no others, in characters. */
const maxQualifiedName = 500;

/**
 * Joins the definitions of the index with the scopes of the syntax tree. A definition belongs to the scope whose name
 * has the same line and text. Scopes without a definition are dropped, so that the index remains the only source.
 */
export function joinDefinitions(definitions: readonly Definition[], scopes: readonly Scope[]): Enclosing {
  const positions = new Map(definitions.map(({ line, name }, index) => [`${line} ${name}`, index]));
  const ordered = scopes.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const kept: KeptScope[] = [];
  const taken = new Map<number, KeptScope>();
  let around: KeptScope | undefined;
  for (const scope of ordered) {
    const symbol = scope.isContainer ? undefined : positions.get(`${scope.line} ${scope.name}`);
    if (!scope.isContainer && (symbol === undefined || taken.has(symbol))) continue;
    while (around !== undefined && around.end <= scope.start) around = around.parent;
    // Without a limit, the names of nested definitions are as long as the square of their number.
    if (around !== undefined && around.qualifiedName.length >= maxQualifiedName) continue;
    const named = scope.owner === undefined ? scope.name : `${scope.owner}.${scope.name}`;
    const qualifiedName = around === undefined ? named : `${around.qualifiedName}.${named}`;
    const entry: KeptScope = { ...scope, parent: around, symbol, qualifiedName };
    kept.push(entry);
    if (symbol !== undefined) taken.set(symbol, entry);
    around = entry;
  }
  const symbols = definitions.map((definition, index) => symbolOf(definition, taken.get(index), kept));
  return { symbols, at: (offset) => enclosingAt(kept, offset) };
}

function symbolOf(
  { name, kind, line }: Definition,
  scope: KeptScope | undefined,
  kept: readonly KeptScope[],
): FileSymbol {
  if (scope !== undefined) {
    const { qualifiedName, endLine, returns } = scope;
    return { name, kind, line, qualifiedName, endLine, ...(returns === undefined ? {} : { returns }) };
  }
  let around = innermost(kept, (each) => each.startLine <= line);
  while (around !== undefined && around.endLine < line) around = around.parent;
  const qualifiedName = around === undefined ? name : `${around.qualifiedName}.${name}`;
  return { name, kind, line, qualifiedName, endLine: line };
}

function enclosingAt(kept: readonly KeptScope[], offset: number): ReturnType<Enclosing['at']> {
  let scope = innermost(kept, (each) => each.start <= offset);
  while (scope !== undefined && scope.end <= offset) scope = scope.parent;
  let self: string | undefined;
  for (let at = scope; at !== undefined && self === undefined; at = at.parent) self = at.self;
  while (scope?.isContainer === true) scope = scope.parent;
  return { symbol: scope?.symbol, self };
}

/** Returns the last scope that begins before a place. Scopes are ordered by their beginning. */
function innermost(kept: readonly KeptScope[], begins: (scope: KeptScope) => boolean): KeptScope | undefined {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (begins(kept[middle]!)) low = middle + 1;
    else high = middle;
  }
  return kept[low - 1];
}
