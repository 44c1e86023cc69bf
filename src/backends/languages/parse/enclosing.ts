import { lowerBound } from '../../../foundation/kernel/lower-bound.ts';
import { type FileSymbol, isTypeKind, type SymbolKind } from '../outline.ts';

/** A node that encloses code, as a query found it: a definition, or what only names the type of its members. */
export interface Scope {
  /** The kind of the definition. A `container` defines nothing, and a `namespace` is a module without methods. */
  readonly kind: SymbolKind | 'container' | 'namespace';
  /** The position of the pattern that found it. The first of several with one name node decides. */
  readonly pattern: number;
  readonly name: string;
  /** Line of the name; 1-based. */
  readonly line: number;
  /** Offsets in the text. */
  readonly nameStart: number;
  readonly start: number;
  readonly end: number;
  readonly endLine: number;
  /** The type that the definition belongs to if it is not around it. */
  readonly owner: string | undefined;
  /** The variable of the instance. */
  readonly self: string | undefined;
  /** The declared type of its result, if that is a plain name. */
  readonly returns?: string | undefined;
  /** True for a signature without a body, which is no definition above the function of its name. */
  readonly isSignature: boolean;
}

interface PlacedScope extends Scope {
  readonly parent: PlacedScope | undefined;
  readonly qualifiedName: string;
  /** The position of its symbol; `undefined` for a container. */
  symbol: number | undefined;
}

/** The definitions of a file, and what encloses each place. */
export interface Enclosing {
  readonly symbols: readonly FileSymbol[];
  /** Returns the innermost definition around an offset, and the variable of the instance there. */
  at(offset: number): { readonly symbol: number | undefined; readonly self: string | undefined };
}

/** Length of a qualified name from which a definition encloses no others, in characters. */
export const maxQualifiedName = 500;

/**
 * Returns the definitions among the scopes, each with what encloses it. A variable inside a function is no definition.
 */
export function placeDefinitions(scopes: readonly Scope[]): Enclosing {
  const placed: PlacedScope[] = [];
  const enclosing: PlacedScope[] = [];
  let around: PlacedScope | undefined;
  for (const scope of distinctScopes(scopes)) {
    while (around !== undefined && !encloses(around, scope)) around = around.parent;
    if (definesNothing(scope, around)) continue;
    const isInFunction = around !== undefined && functionKinds.has(around.kind);
    // A parameter that declares a field belongs to the type of its constructor.
    const isPromoted = isInFunction && scope.kind === 'field';
    const parent = isPromoted ? around?.parent : around;
    const entry: PlacedScope = { ...scope, parent, symbol: undefined, qualifiedName: nameIn(parent, scope) };
    placed.push(entry);
    // Without a limit, the names of nested definitions are as long as the square of their number.
    if (isPromoted || (parent !== undefined && parent.qualifiedName.length >= maxQualifiedName)) continue;
    enclosing.push(entry);
    around = entry;
  }
  const defined = withoutOverloads(placed)
    .filter(({ kind }) => kind !== 'container')
    .toSorted((one, other) => one.line - other.line || one.nameStart - other.nameStart);
  for (const [index, each] of defined.entries()) each.symbol = index;
  return { symbols: defined.map(symbolOf), at: (offset) => enclosingAt(enclosing, offset) };
}

/** Returns whether a scope encloses a later one. Values of one statement (`int a, b;`) are beside each other. */
function encloses(around: Scope, { start, end }: Scope): boolean {
  if (around.end <= start) return false;
  return !valueKinds.has(around.kind) || around.start !== start || around.end !== end;
}

/** Returns the qualified name of a definition. A namespace may have several names: `acme::leases`. */
function nameIn(parent: PlacedScope | undefined, { kind, name, owner }: Scope): string {
  const own = kind === 'namespace' ? name.replaceAll('::', '.') : name;
  return [parent?.qualifiedName, owner, own].filter((part) => part !== undefined).join('.');
}

/** Returns the scopes in the order of their beginning, the outer one first. */
function distinctScopes(scopes: readonly Scope[]): readonly Scope[] {
  const byName = new Map<number, Scope>();
  for (const scope of scopes) {
    const known = byName.get(scope.nameStart);
    if (known === undefined || scope.pattern < known.pattern) byName.set(scope.nameStart, scope);
  }
  return [...byName.values()].toSorted((one, other) => one.start - other.start || other.end - one.end);
}

const functionKinds: ReadonlySet<Scope['kind']> = new Set(['function', 'method', 'macro']);
const valueKinds: ReadonlySet<Scope['kind']> = new Set(['variable', 'constant', 'field']);

export function isVariable({ kind }: Pick<Scope, 'kind'>): boolean {
  return kind === 'variable' || kind === 'constant';
}

/**
 * Returns whether a scope is a variable of a function, or repeats the name of what it is assigned to, as in
 * `const renew = function renew() {}`.
 */
function definesNothing(scope: Scope, around: Scope | undefined): boolean {
  if (around === undefined) return false;
  if (functionKinds.has(around.kind) && isVariable(scope)) return true;
  const isNamedAgain = around.name === scope.name && around.line === scope.line;
  return isNamedAgain && (around.kind === scope.kind || !isType(around));
}

/** Leaves out the signatures of a function that has a body further down. */
function withoutOverloads(placed: readonly PlacedScope[]): readonly PlacedScope[] {
  const last = new Map<string, number>();
  for (const { qualifiedName, isSignature, line } of placed) if (!isSignature) last.set(qualifiedName, line);
  return placed.filter(
    ({ qualifiedName, isSignature, line }) => !isSignature || (last.get(qualifiedName) ?? 0) <= line,
  );
}

function symbolOf(scope: PlacedScope): FileSymbol {
  const { name, line, qualifiedName, endLine, returns } = scope;
  const kind = kindOf(scope);
  return { name, kind, line, qualifiedName, endLine, ...(returns === undefined ? {} : { returns }) };
}

/** Returns the kind: directly inside of a type, a function is a method and a variable is a field. */
function kindOf({ kind, parent, owner }: PlacedScope): SymbolKind {
  if (kind === 'namespace') return 'module';
  if (kind === 'container') return 'other';
  const isMember = owner !== undefined || (parent !== undefined && isType(parent));
  if (!isMember) return kind;
  return kind === 'function' ? 'method' : kind === 'variable' ? 'field' : kind;
}

/** Returns whether a scope has methods and fields: a type, or a container of its members. */
function isType({ kind }: Scope): boolean {
  return kind === 'container' || (kind !== 'namespace' && isTypeKind(kind));
}

function enclosingAt(scopes: readonly PlacedScope[], offset: number): ReturnType<Enclosing['at']> {
  let scope = lastBefore(scopes, offset);
  while (scope !== undefined && scope.end <= offset) scope = scope.parent;
  let self: string | undefined;
  for (let at = scope; at !== undefined && self === undefined; at = at.parent) self = at.self;
  while (scope !== undefined && scope.symbol === undefined) scope = scope.parent;
  return { symbol: scope?.symbol, self };
}

/** Returns the last of some spans that begins at or before an offset. They are ordered by their beginning. */
export function lastBefore<Span extends { readonly start: number }>(
  spans: readonly Span[],
  offset: number,
): Span | undefined {
  return spans[lowerBound(spans.length, (index) => spans[index]!.start > offset) - 1];
}
