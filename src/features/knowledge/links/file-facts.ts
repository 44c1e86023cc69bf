import type { EdgeKind } from '../../../backends/graph/port.ts';
import type { ParsedFile, Use, UseKind } from '../../../backends/languages/port.ts';
import { parseRecord } from '../../mirror/format/parse-record.ts';
import { type Certainty, certaintyOf } from '../certainty.ts';
import type { PackageExports } from '../packages/exported-names.ts';
import { isMember } from '../symbols/resolve/found.ts';
import { type ResolvedFile, resolveFile } from '../symbols/resolve/resolve-file.ts';
import { familyOf, type SymbolTable } from '../symbols/resolve/symbol-table.ts';
import { addCatalog, catalogFile } from './catalog.ts';
import type { OwnerRule } from './code-owners.ts';
import { FactList, type Reason } from './fact-list.ts';
import { fileKey, pathName, repoKey, symbolKey, symbolName } from './keys.ts';
import { addExports, addManifest, addOutside } from './package-facts.ts';
import { accountKey, addPerson } from './people.ts';
import { addRecord, type RecordSource } from './record-facts.ts';
import { printUseLines } from './use-lines.ts';

/** The inputs of the facts of all files of a repository. */
export interface FilePlace {
  readonly repositoryId: string;
  /** Host of the repository, on which its owners have accounts. */
  readonly host: string;
  readonly symbols: SymbolTable;
  readonly exports: PackageExports;
  /** Returns the end of a path, at least two names, by which only this file is found. */
  readonly uniqueEnd: (path: string) => string | undefined;
  /** The connections whose records this repository contains. Files of other repositories are never records. */
  readonly sources: readonly RecordSource[];
}

export interface FileContent {
  readonly path: string;
  readonly language: string;
  /** `undefined` if it has no symbols, or could not be parsed. */
  readonly parsed: ParsedFile | undefined;
  /** The text of a record or catalog. */
  readonly text: string | undefined;
  /** The rules that name its owners. */
  readonly owners: readonly OwnerRule[];
}

/** Returns whether the facts of a file depend on its text besides its symbols. */
export function readsText(path: string, sources: readonly RecordSource[]): boolean {
  return catalogFile.test(path) || sources.some(({ records }) => path.startsWith(`${records.root}/`));
}

/** Returns what a file says. Depends on nothing else than the arguments. */
export function fileFacts(place: FilePlace, content: FileContent): FactList {
  const { path, language, parsed, text, owners } = content;
  const facts = new FactList();
  const { repositoryId } = place;
  const key = facts.node(fileKey(repositoryId, path), path, { path, language });
  facts.edge(repoKey(repositoryId), 'contains', key, { rule: 'tree', evidence: path, confidence: 100 });
  facts.alias(pathName(path), key, 'path');
  const end = place.uniqueEnd(path);
  if (end !== undefined && end !== path) facts.alias(pathName(end), key, 'unique-path-end');
  addOwners(facts, place.host, key, owners);
  if (text !== undefined) addText(facts, place, path, text);
  addManifest(facts, place.exports.packages, key, path);
  if (parsed !== undefined) {
    addSymbols(facts, place, key, parsed);
    const resolved = resolveFile(place.symbols, parsed);
    addImports(facts, place, key, resolved);
    const sourceOf = sourcesIn(place, key, parsed);
    const links = linksOf(place, resolved, sourceOf);
    addLinks(facts, links, 'certain');
    const edgeOf = (use: Use) => [sourceOf(use), kindOfUse[use.kind]] as const;
    addOutside(facts, place.exports.packages, key, parsed, resolved, edgeOf);
    addExports(facts, place, parsed);
    // Possible targets come last, because they are many and the facts of a file are limited.
    addLinks(facts, links, 'possible');
  }
  return facts;
}

function addText(facts: FactList, { repositoryId, sources }: FilePlace, path: string, text: string): void {
  if (catalogFile.test(path)) addCatalog(facts, repositoryId, path, text);
  const source = sources.find(({ records }) => path.startsWith(`${records.root}/`));
  if (source === undefined) return;
  const parsed = parseRecord(source.records.kinds, path, text);
  if (parsed !== undefined) addRecord(facts, source, path, parsed);
}

function addOwners(facts: FactList, host: string, file: string, rules: readonly OwnerRule[]): void {
  for (const { pattern, owners: named } of rules) {
    const reason = { rule: 'codeowners', evidence: `CODEOWNERS ${pattern}`, confidence: 100 };
    for (const owner of named) {
      const key = ownerNode(facts, host, owner);
      if (key !== undefined) facts.edge(file, 'owned_by', key, reason);
    }
  }
}

function ownerNode(facts: FactList, host: string, owner: string): string | undefined {
  if (!owner.startsWith('@')) {
    const [, name = ''] = /^(?:\d+\+)?([^@]*)/.exec(owner) ?? [];
    return addPerson(facts, { name, email: owner });
  }
  const name = owner.slice(1);
  return name.includes('/')
    ? facts.node(`team:${host}:${name.toLowerCase()}`, name)
    : facts.node(accountKey(host, name), name, { login: name.toLowerCase() });
}

function addSymbols(facts: FactList, place: FilePlace, file: string, parsed: ParsedFile): void {
  const { repositoryId, symbols } = place;
  const byName = new Map(
    parsed.symbols.map((symbol) => [symbol.qualifiedName, symbolKey(repositoryId, parsed.path, symbol)]),
  );
  for (const symbol of parsed.symbols) {
    const { name, kind, line, endLine, qualifiedName } = symbol;
    const key = facts.node(symbolKey(repositoryId, parsed.path, symbol), name, {
      path: parsed.path,
      kind,
      qualifiedName,
      startLine: line,
      endLine,
    });
    const parent = byName.get(qualifiedName.slice(0, Math.max(0, qualifiedName.lastIndexOf('.'))));
    const reason = { rule: 'definition', evidence: qualifiedName, confidence: 100 };
    facts.edge(file, 'contains', key, reason);
    if (parent !== undefined) facts.edge(parent, 'contains', key, reason);
    const isNamed = !isMember({ path: parsed.path, symbol }) && isDistinctive(name);
    if (isNamed && symbols.count(familyOf(parsed.language), name) === 1)
      facts.alias(symbolName(name), key, 'unique-name');
  }
}

/** A name of two words or more, which text in backquotes can mean. */
function isDistinctive(name: string): boolean {
  return name.length >= 6 && /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(name);
}

/** The kinds of edges that uses become. */
const kindOfUse: Readonly<Record<UseKind, EdgeKind>> = {
  call: 'calls',
  new: 'calls',
  inherits: 'inherits',
  type: 'uses',
  value: 'uses',
};
/** Maximum number of files that one import means: a package of Go is a folder. */
const maxImported = 50;

function addImports(
  facts: FactList,
  { repositoryId }: FilePlace,
  file: string,
  { imports }: ResolvedFile,
): void {
  for (const { imported, paths } of imports) {
    for (const path of paths.slice(0, maxImported)) {
      facts.edge(file, 'imports', fileKey(repositoryId, path), {
        rule: 'import',
        evidence: `line ${imported.line}: ${imported.source}`,
        confidence: paths.length === 1 ? 100 : 90,
      });
    }
  }
}

/** The uses of a definition in another one, which are one edge. */
interface Link extends Pick<Reason, 'rule' | 'confidence'> {
  readonly from: string;
  readonly kind: EdgeKind;
  readonly to: string;
  readonly lines: Readonly<Record<Certainty, number[]>>;
  /** True if other lines with the name may mean something else. */
  byLine: boolean;
}

/** Returns what the uses of a file lead to, each with the reason of its surest use. */
function linksOf(
  { repositoryId }: FilePlace,
  { uses }: ResolvedFile,
  sourceOf: (use: Use) => string,
): readonly Link[] {
  const links = new Map<string, Link>();
  const surestFirst = uses.toSorted((one, other) => other.confidence - one.confidence);
  for (const { use, targets, rule, confidence } of surestFirst) {
    const from = sourceOf(use);
    const kind = kindOfUse[use.kind];
    for (const { path, symbol } of targets) {
      const to = symbolKey(repositoryId, path, symbol);
      const id = JSON.stringify([from, kind, to]);
      const lines = { certain: [], possible: [] };
      const link = links.get(id) ?? { from, kind, to, rule, confidence, lines, byLine: false };
      links.set(id, link);
      link.byLine ||= use.byLine === true;
      link.lines[certaintyOf({ confidence })].push(use.line);
    }
  }
  return [...links.values()];
}

function addLinks(facts: FactList, links: readonly Link[], certainty: Certainty): void {
  for (const { from, kind, to, rule, confidence, lines, byLine } of links) {
    if (certaintyOf({ confidence }) !== certainty) continue;
    const evidence = printUseLines(lines, byLine);
    facts.edge(from, kind, to, { rule: rule.replaceAll('_', '-'), evidence, confidence });
  }
}

/** Returns a function that tells the key of the definition around a use; that of the file outside of all. */
function sourcesIn({ repositoryId }: FilePlace, file: string, parsed: ParsedFile): (use: Use) => string {
  return ({ from }) => {
    const around = from === undefined ? undefined : parsed.symbols[from];
    return around === undefined ? file : symbolKey(repositoryId, parsed.path, around);
  };
}
