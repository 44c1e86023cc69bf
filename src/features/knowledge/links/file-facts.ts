import type { EdgeKind } from '../../../backends/graph/port.ts';
import type { ParsedFile, Use, UseKind } from '../../../backends/languages/port.ts';
import { parseRecord } from '../../mirror/format/parse-record.ts';
import { certaintyOf } from '../certainty.ts';
import type { PackageExports } from '../packages/exported-names.ts';
import { isMember } from '../symbols/resolve/found.ts';
import { type ResolvedFile, type ResolvedUse, resolveFile } from '../symbols/resolve/resolve-file.ts';
import { familyOf, type SymbolTable } from '../symbols/resolve/symbol-table.ts';
import { addCatalog, catalogFile } from './catalog.ts';
import type { OwnerRule } from './code-owners.ts';
import { FactList } from './fact-list.ts';
import { fileKey, repoKey, symbolKey } from './keys.ts';
import { pathName, symbolName } from './names.ts';
import { printOnlyLines } from './only-lines.ts';
import { addExports, addManifest, addOutside } from './package-facts.ts';
import { accountKey, addPerson } from './people.ts';
import { addRecord, type RecordSource } from './record-facts.ts';

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
    addUses(facts, place, key, parsed, resolved);
    addExports(facts, place, parsed);
    addPossible(facts, place, key, parsed, resolved);
  }
  return facts;
}

function addText(facts: FactList, { repositoryId, sources }: FilePlace, path: string, text: string): void {
  if (catalogFile.test(path)) addCatalog(facts, repositoryId, path, text);
  const source = sources.find(({ records }) => path.startsWith(`${records.root}/`));
  if (source === undefined) return;
  const parsed = parseRecord(source.records.kinds, path, text);
  if (parsed !== undefined && 'record' in parsed) addRecord(facts, source, path, parsed);
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
    if (!isMember({ path: parsed.path, symbol }) && isDistinctive(name) && isOnly(symbols, parsed, name))
      facts.alias(symbolName(name), key, 'unique-name');
  }
}

/** A name of two words or more, which text in backquotes can mean. */
function isDistinctive(name: string): boolean {
  return name.length >= 6 && /[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(name);
}

function isOnly(symbols: SymbolTable, { language }: ParsedFile, name: string): boolean {
  return symbols.count(familyOf(language), name) === 1;
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
/** Maximum number of lines in the evidence of an edge. */
const maxLines = 20;

function addUses(
  facts: FactList,
  place: FilePlace,
  file: string,
  parsed: ParsedFile,
  resolved: ResolvedFile,
): void {
  const { repositoryId } = place;
  for (const { imported, paths } of resolved.imports) {
    for (const path of paths.slice(0, maxImported)) {
      facts.edge(file, 'imports', fileKey(repositoryId, path), {
        rule: 'import',
        evidence: `line ${imported.line}: ${imported.source}`,
        confidence: paths.length === 1 ? 100 : 90,
      });
    }
  }
  const sourceOf = sourcesIn(place, file, parsed);
  const onlyLines = onlyLinesIn(place, resolved, sourceOf);
  for (const found of resolved.uses)
    if (certaintyOf(found) === 'certain') addUse(facts, place, sourceOf(found.use), found, onlyLines);
  addOutside(facts, place.exports.packages, file, parsed, resolved, (use) => [
    sourceOf(use),
    kindOfUse[use.kind],
  ]);
}

/** Adds possible targets last, each once for a definition, because they are many and the facts of a file are limited. */
function addPossible(
  facts: FactList,
  place: FilePlace,
  file: string,
  parsed: ParsedFile,
  resolved: ResolvedFile,
): void {
  const sourceOf = sourcesIn(place, file, parsed);
  const onlyLines = onlyLinesIn(place, resolved, sourceOf);
  const known = new Set<string>();
  for (const found of resolved.uses) {
    if (certaintyOf(found) === 'certain') continue;
    const from = sourceOf(found.use);
    const targets = found.targets.filter((target) => {
      const id = JSON.stringify([from, found.use.kind, target.path, target.symbol.qualifiedName]);
      if (known.has(id)) return false;
      known.add(id);
      return true;
    });
    addUse(facts, place, from, { ...found, targets }, onlyLines);
  }
}

function addUse(
  facts: FactList,
  { repositoryId }: FilePlace,
  from: string,
  { use, targets, rule, confidence }: ResolvedUse,
  onlyLines: ReadonlyMap<string, ReadonlySet<number>>,
): void {
  for (const { path, symbol } of targets) {
    const to = symbolKey(repositoryId, path, symbol);
    const lines = onlyLines.get(`${from} ${to}`);
    facts.edge(from, kindOfUse[use.kind], to, {
      rule: rule.replaceAll('_', '-'),
      evidence: lines === undefined ? `line ${use.line}` : printOnlyLines(lines),
      confidence,
    });
  }
}

/** Returns the lines that use a symbol in a definition that has a variable of its name, by the keys of both. */
function onlyLinesIn(
  { repositoryId }: FilePlace,
  { uses }: ResolvedFile,
  sourceOf: (use: Use) => string,
): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const { use, targets } of uses) {
    if (use.isAlsoVariable !== true) continue;
    for (const { path, symbol } of targets) {
      const key = `${sourceOf(use)} ${symbolKey(repositoryId, path, symbol)}`;
      const lines = found.get(key) ?? new Set<number>();
      if (lines.size < maxLines) found.set(key, lines.add(use.line));
    }
  }
  return found;
}

/** Returns a function that tells the key of the definition around a use; that of the file outside of all. */
function sourcesIn({ repositoryId }: FilePlace, file: string, parsed: ParsedFile): (use: Use) => string {
  return ({ from }) => {
    const around = from === undefined ? undefined : parsed.symbols[from];
    return around === undefined ? file : symbolKey(repositoryId, parsed.path, around);
  };
}
