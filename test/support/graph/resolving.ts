import { languageOf } from '../../../src/backends/codesearch/port.ts';
import {
  isManifest,
  type Manifest,
  type ParsedFile,
  readManifest,
  rootsOf,
} from '../../../src/backends/languages/port.ts';
import { resolveFile } from '../../../src/features/knowledge/symbols/resolve/resolve-file.ts';
import { SymbolTable } from '../../../src/features/knowledge/symbols/resolve/symbol-table.ts';
import { sharedParser } from '../languages/shared-parser.ts';

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** Parses and resolves small files. */
export interface Resolving {
  parse(files: Files): Promise<ParsedFile[]>;
  /** Resolves the first file, and describes what it imports and calls, each use once. */
  resolve(files: Files): Promise<string[]>;
}

export function openResolving(): Resolving {
  const parse: Resolving['parse'] = async (files) => {
    const sources = Object.entries(files).map(([path, text]) => ({ path, language: languageOf(path), text }));
    const results = await sharedParser.parseFiles(sources, new AbortController().signal);
    return results.flatMap((result) => ('failed' in result ? [] : [result]));
  };
  return {
    parse,
    async resolve(files) {
      const parsed = await parse(files);
      return describeFile(tableOf(parsed, files), parsed[0]!);
    },
  };
}

/** Returns a table of some files, which it reads from this list, with the names of modules that manifests give. */
export function tableOf(parsed: readonly ParsedFile[], files: Files = {}): SymbolTable {
  const byPath = new Map(parsed.map((file) => [file.path, file]));
  const table = new SymbolTable((path) => byPath.get(path)!);
  for (const file of parsed) table.add(file);
  table.roots = rootsOf(manifestsOf(files));
  return table;
}

function manifestsOf(files: Files): ReadonlyMap<string, Manifest> {
  const read = Object.entries(files).flatMap(([path, text]): (readonly [string, Manifest])[] => {
    const manifest = isManifest(path) ? readManifest(path, text) : undefined;
    return manifest === undefined ? [] : [[path, manifest]];
  });
  return new Map(read);
}

export function describeFile(table: SymbolTable, file: ParsedFile): string[] {
  const { imports, uses, unresolved } = resolveFile(table, file);
  return [
    ...imports.flatMap(({ paths }) => paths.map((path) => `imports ${path}`)),
    ...uses.map(({ use, targets, confidence, rule }) => {
      const to = targets.map(({ path, symbol }) => `${path}#${symbol.qualifiedName}`).join(', ');
      return `${use.kind} ${use.name} -> ${to} ${confidence} ${rule}`;
    }),
    ...unresolved.map((use) => `${use.kind} ${use.name} -> ?`),
  ].filter((line, index, all) => all.indexOf(line) === index);
}
