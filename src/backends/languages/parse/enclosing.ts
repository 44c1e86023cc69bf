import { lowerBound } from '../../../foundation/kernel/lower-bound.ts';
import { type FileSymbol, isTypeKind, type SymbolKind } from '../outline.ts';

/** A part of the text, as offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A node that encloses code, as a query found it: a definition, or what only names the type of its members. */
export interface Scope extends Span {
  /** The kind of the definition. A `container` defines nothing, and a `namespace` is a module without methods. */
  readonly kind: SymbolKind | 'container' | 'namespace';
  /** The position of the pattern that found it. The first of several with one name node decides. */
  readonly pattern: number;
  readonly name: string;
  /** Line of the name; 1-based. */
  readonly line: number;
  readonly nameStart: number;
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

/** A scope or an anonymous function. */
interface Enclosure extends Span {
  readonly parent: Enclosure | undefined;
  /** The scope; that around it for an anonymous function. */
  readonly scope: PlacedScope | undefined;
  /** The number of anonymous functions around it. */
  readonly depth: number;
  readonly isBlock: boolean;
}

/** The definition, instance and anonymous functions around an offset. */
export interface Place {
  /** The position of the innermost definition; `undefined` outside of all. */
  readonly symbol: number | undefined;
  /** The variable of the instance. */
  readonly self: string | undefined;
  /** The anonymous functions inside of the definition, the innermost first. */
  readonly blocks: readonly Span[];
}

/** The definitions of a file, and what encloses each place. */
export interface Enclosing {
  readonly symbols: readonly FileSymbol[];
  at(offset: number): Place;
}

/** Length of a qualified name from which a definition encloses no others, in characters. */
export const maxQualifiedName = 500;
/** Maximum depth of anonymous functions that are known. Deeper ones are generated. */
const maxDepth = 50;

/**
 * Returns the definitions among the scopes, each with what encloses it. A variable inside a function is no definition.
 * `blocks`: the anonymous functions.
 */
export function placeDefinitions(scopes: readonly Scope[], blocks: readonly Span[] = []): Enclosing {
  const placed: PlacedScope[] = [];
  const enclosing: Enclosure[] = [];
  let inner: Enclosure | undefined;
  // In the order of their beginning, the outer one first.
  const spans = [...distinctScopes(scopes), ...blocks].toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );
  for (const span of spans) {
    while (inner !== undefined && !encloses(inner, span)) inner = inner.parent;
    const next = isScope(span) ? placeScope(inner, span, placed) : blockIn(inner, span);
    if (next === undefined) continue;
    enclosing.push(next);
    inner = next;
  }
  const defined = withoutOverloads(placed)
    .filter(({ kind }) => kind !== 'container')
    .toSorted((one, other) => one.line - other.line || one.nameStart - other.nameStart);
  for (const [index, each] of defined.entries()) each.symbol = index;
  return { symbols: defined.map(symbolOf), at: (offset) => placeOf(enclosing, offset) };
}

/** Returns an anonymous function; `undefined` if it is too deep, or the value of a definition, which has its body. */
function blockIn(inner: Enclosure | undefined, { start, end }: Span): Enclosure | undefined {
  const { scope, depth } = inner ?? { scope: undefined, depth: 0 };
  const isValue = scope !== undefined && functionKinds.has(scope.kind) && scope.end === end;
  if (isValue || depth === maxDepth) return undefined;
  return { start, end, parent: inner, scope, depth: depth + 1, isBlock: true };
}

/** Adds a scope with its place to `placed`, and returns it as what encloses others; `undefined` if it encloses none. */
function placeScope(
  inner: Enclosure | undefined,
  scope: Scope,
  placed: PlacedScope[],
): Enclosure | undefined {
  const around = inner?.scope;
  if (definesNothing(scope, around)) return undefined;
  // A parameter that declares a field belongs to the type of its constructor, and encloses nothing.
  const isPromoted = around !== undefined && functionKinds.has(around.kind) && scope.kind === 'field';
  const parent = isPromoted ? around.parent : around;
  const own = { ...scope, parent, symbol: undefined, qualifiedName: nameIn(parent, scope) };
  placed.push(own);
  // Without a limit, the names of nested definitions are as long as the square of their number.
  const isDeep = parent !== undefined && parent.qualifiedName.length >= maxQualifiedName;
  if (isPromoted || isDeep) return undefined;
  const { start, end } = scope;
  return { start, end, parent: inner, scope: own, depth: inner?.depth ?? 0, isBlock: false };
}

function isScope(span: Span): span is Scope {
  return 'kind' in span;
}

/** Returns whether a scope encloses a later one. Values of one statement (`int a, b;`) are beside each other. */
function encloses(around: Enclosure, { start, end }: Span): boolean {
  if (around.end <= start) return false;
  const isValue = !around.isBlock && around.scope !== undefined && valueKinds.has(around.scope.kind);
  return !isValue || around.start !== start || around.end !== end;
}

/** Returns the qualified name of a definition. A namespace may have several names: `acme::leases`. */
function nameIn(parent: PlacedScope | undefined, { kind, name, owner }: Scope): string {
  const own = kind === 'namespace' ? name.replaceAll('::', '.') : name;
  return [parent?.qualifiedName, owner, own].filter((part) => part !== undefined).join('.');
}

/** Returns one scope for each name. */
function distinctScopes(scopes: readonly Scope[]): readonly Scope[] {
  const byName = new Map<number, Scope>();
  for (const scope of scopes) {
    const known = byName.get(scope.nameStart);
    if (known === undefined || scope.pattern < known.pattern) byName.set(scope.nameStart, scope);
  }
  return [...byName.values()];
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

function placeOf(enclosing: readonly Enclosure[], offset: number): Place {
  let inner = enclosing[lowerBound(enclosing.length, (index) => enclosing[index]!.start > offset) - 1];
  while (inner !== undefined && inner.end <= offset) inner = inner.parent;
  let scope = inner?.scope;
  let self: string | undefined;
  for (let at = scope; at !== undefined && self === undefined; at = at.parent) self = at.self;
  while (scope !== undefined && scope.symbol === undefined) scope = scope.parent;
  const blocks: Span[] = [];
  for (; inner !== undefined && (inner.isBlock || inner.scope !== scope); inner = inner.parent)
    if (inner.isBlock) blocks.push(inner);
  return { symbol: scope?.symbol, self, blocks };
}
