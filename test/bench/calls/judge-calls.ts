import type { FileSymbol, ParsedFile } from '../../../src/backends/languages/port.ts';
import { fileKey, symbolKey } from '../../../src/features/knowledge/links/keys.ts';
import { percentile } from '../statistics.ts';
import type { Definition, GraphCall } from './graph-calls.ts';
import type { KnownCall } from './known-calls.ts';

interface Counts {
  right: number;
  all: number;
}

export interface Report {
  /** Calls whose targets the folder defines, and calls of others, as the server says. */
  readonly inside: number;
  readonly elsewhere: number;
  /** Certain edges that the server judges, and those of them to a name with three or more owners. */
  readonly certain: Counts;
  readonly common: Counts;
  readonly recall: { readonly certain: Counts; readonly any: Counts };
  readonly possible: { readonly median: number; readonly p90: number };
  /** Number of calls inside that have no edge although their name is defined. */
  readonly text: number;
  readonly differences: readonly string[];
}

const manyOwners = 3;

/** A call with the definitions that it means. */
interface JudgedCall extends KnownCall {
  readonly ids: Ids;
}

/** Compares the edges of calls with what a language server knows. */
export function judgeCalls(
  files: readonly ParsedFile[],
  calls: readonly GraphCall[],
  known: readonly KnownCall[],
  lineAt: (path: string, line: number) => string,
): Report {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const report = new Counting(files, calls);
  const judged = known.map((call): JudgedCall => ({ ...call, ids: idsOf(byPath, call, lineAt) }));
  for (const [place, onLine] of Map.groupBy(judged, ({ path, line }) => `${path}:${line}`))
    report.add(place, onLine);
  return report.finish();
}

class Counting {
  readonly #edgesOn: ReadonlyMap<string, readonly GraphCall[]>;
  /** Possible edges by their caller and name: the graph has each once. */
  readonly #possible: ReadonlyMap<string, readonly GraphCall[]>;
  readonly #callers: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #owners = new Map<string, number>();
  readonly #sizes: number[] = [];
  readonly #differences: string[] = [];
  readonly #report = {
    inside: 0,
    elsewhere: 0,
    certain: { right: 0, all: 0 },
    common: { right: 0, all: 0 },
    recall: { certain: { right: 0, all: 0 }, any: { right: 0, all: 0 } },
    text: 0,
  };

  constructor(files: readonly ParsedFile[], calls: readonly GraphCall[]) {
    this.#edgesOn = Map.groupBy(calls, ({ path, line }) => `${path}:${line}`);
    const possible = calls.filter(({ certainty }) => certainty === 'possible');
    this.#possible = Map.groupBy(possible, ({ from, target }) => `${from} ${target.name}`);
    this.#callers = callers(files);
    for (const { name } of files.flatMap(({ symbols }) => symbols))
      this.#owners.set(name, (this.#owners.get(name) ?? 0) + 1);
  }

  add(place: string, onLine: readonly JudgedCall[]): void {
    const edges = this.#edgesOn.get(place) ?? [];
    for (const edge of edges) if (edge.certainty === 'certain') this.#countEdge(place, edge, onLine);
    const possible = edges.filter(({ certainty }) => certainty === 'possible');
    for (const [, targets] of Map.groupBy(possible, ({ target }) => target.name))
      this.#sizes.push(targets.length);
    for (const { name, ids } of onLine) {
      if (ids === 'elsewhere') this.#report.elsewhere += 1;
      if (typeof ids !== 'string') this.#countCall(place, name, ids, edges);
    }
  }

  finish(): Report {
    const rank = (line: string): number =>
      Buffer.from(line).reduce((hash, byte) => (hash * 31 + byte) % 65_521, 7);
    return {
      ...this.#report,
      possible: { median: percentile(this.#sizes, 0.5), p90: percentile(this.#sizes, 0.9) },
      differences: this.#differences.toSorted((a, b) => rank(a) - rank(b)),
    };
  }

  #countEdge(place: string, edge: GraphCall, onLine: readonly JudgedCall[]): void {
    const isRight = judge(edge, onLine);
    if (isRight === undefined) return;
    const { certain, common } = this.#report;
    const isCommon = (this.#owners.get(edge.target.name) ?? 0) >= manyOwners;
    for (const counts of isCommon ? [certain, common] : [certain]) {
      counts.all += 1;
      if (isRight) counts.right += 1;
    }
    if (!isRight) this.#differences.push(`wrong ${place} ${idOf(edge.target)} ${edge.rule}`);
  }

  #countCall(place: string, name: string, ids: ReadonlySet<string>, onLine: readonly GraphCall[]): void {
    const { recall } = this.#report;
    const around = [...(this.#callers.get(place) ?? [])].flatMap(
      (from) => this.#possible.get(`${from} ${name}`) ?? [],
    );
    const edges = [...onLine, ...around];
    const found = edges.filter(({ target }) => ids.has(idOf(target)));
    this.#report.inside += 1;
    recall.certain.all += 1;
    recall.any.all += 1;
    if (found.some(({ certainty }) => certainty === 'certain')) recall.certain.right += 1;
    if (!edges.some(({ target }) => target.name === name)) this.#report.text += 1;
    if (found.length > 0) recall.any.right += 1;
    else this.#differences.push(`missed ${place} ${name} -> ${[...ids].join(', ')}`);
  }
}

/** Returns the keys of what calls something, by the lines of the calls. */
function callers(files: readonly ParsedFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, symbols, calls } of files)
    for (const { line, from } of calls) {
      const symbol = from === undefined ? undefined : symbols[from];
      const key = symbol === undefined ? fileKey('r', path) : symbolKey('r', path, symbol);
      const keys = found.get(`${path}:${line}`) ?? new Set();
      found.set(`${path}:${line}`, keys.add(key));
    }
  return found;
}

type Ids = ReadonlySet<string> | 'elsewhere' | 'unknown';

/**
 * Returns the definitions that a call means by the server; `unknown` also for a call of the function around it, which
 * the graph does not show.
 */
function idsOf(
  files: ReadonlyMap<string, ParsedFile>,
  { path: from, line: at, targets, name }: KnownCall,
  lineAt: (path: string, line: number) => string,
): Ids {
  if (targets === undefined) return 'unknown';
  if (targets === 'elsewhere') return targets;
  const found = targets.flatMap(({ path, line }) => {
    const symbols = files.get(path)?.symbols ?? [];
    const symbol = symbolAt(symbols, line, name, lineAt(path, line));
    return symbol === undefined ? [] : [{ path, symbol }];
  });
  const isOwn = found.some(
    ({ path, symbol }) => path === from && symbol.line < at && at <= symbol.endLine && symbol.name === name,
  );
  if (isOwn) return 'unknown';
  return found.length === 0
    ? 'elsewhere'
    : new Set(found.map(({ path, symbol }) => idOf({ path, ...constructed(symbol, name) })));
}

/** Returns the definition at a line; that of the function for an overload, which the index does not keep. */
function symbolAt(
  symbols: readonly FileSymbol[],
  line: number,
  name: string,
  text: string,
): FileSymbol | undefined {
  const at = symbols.filter((symbol) => symbol.line === line);
  const named = symbols.filter((symbol) => symbol.name === name);
  const own = at.find((symbol) => symbol.name === name);
  if (own !== undefined) return own;
  // A line that defines something else and contains the name declares a parameter or variable.
  const declares = text.split(/[^\w$]+/u).includes(name);
  if (at.length > 0) return declares ? undefined : at[0];
  return named.find((symbol) => symbol.line > line && symbol.line < line + 200);
}

const madeBy = /\.(?:constructor|__init__|__new__)$/u;

/** Returns the class of a constructor, which `new` names. */
function constructed(
  { qualifiedName }: FileSymbol,
  name: string,
): Pick<Definition, 'name' | 'qualifiedName'> {
  const isNamed = qualifiedName.endsWith(`.${name}`);
  return { name, qualifiedName: isNamed ? qualifiedName : qualifiedName.replace(madeBy, '') };
}

function idOf({ path, qualifiedName }: Pick<Definition, 'path' | 'qualifiedName'>): string {
  return `${path}#${qualifiedName}`;
}

/** Returns whether an edge is right; `undefined` if the server knows too little of its line. */
function judge(
  { target }: GraphCall,
  onLine: readonly Pick<JudgedCall, 'name' | 'ids'>[],
): boolean | undefined {
  const id = idOf(target);
  if (onLine.some(({ ids }) => typeof ids !== 'string' && ids.has(id))) return true;
  const named = onLine.filter(({ name }) => name === target.name);
  const judged = named.length > 0 ? named : onLine;
  return judged.some(({ ids }) => ids === 'unknown') ? undefined : false;
}
