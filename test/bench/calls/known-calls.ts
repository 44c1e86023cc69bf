import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Language as Grammar, Parser, Query } from 'web-tree-sitter';
import type { SourceText } from '../../../src/backends/languages/port.ts';
import { languages } from '../../../src/backends/languages/port.ts';
import { LanguageServer, type Place } from './language-server.ts';

/** A call with what the language server says of its target. */
export interface KnownCall {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly name: string;
  /** Places in files of the folder, `elsewhere` for all others; `undefined` if the server does not know. */
  readonly targets: readonly { readonly path: string; readonly line: number }[] | 'elsewhere' | undefined;
}

interface CallSite extends Place {
  readonly path: string;
  readonly name: string;
}

const require = createRequire(import.meta.url);

const scriptCalls = `
(call_expression function: [(identifier) @name (member_expression property: (_) @name)])
(new_expression constructor: [(identifier) @name (member_expression property: (_) @name)])`;

/** The names of calls, written apart from the queries of the product, which may miss some. */
const queries: Readonly<Record<string, string>> = {
  TypeScript: scriptCalls,
  TSX: scriptCalls,
  JavaScript: scriptCalls,
  Python: '(call function: [(identifier) @name (attribute attribute: (_) @name)])',
  Go: `
(call_expression function: [(identifier) @name (selector_expression field: (_) @name)])
(composite_literal type: [(type_identifier) @name (qualified_type name: (_) @name)])`,
};

const startOfImport = /^\s*(?:import\b|from\s|export\s*\{|export\b.*\bfrom\b)|\brequire\(/u;
const insideImport =
  /^\s*(?:type\s+)?[\w$]+(?:\s+as\s+[\w$]+)?,?\s*(?:[#/].*)?$|^\s*\}\s*(?:=\s*require\(|from\s)/u;
/** Number of questions that a server gets at the same time. */
const together = 20;

/** Asks a language server for the targets of the calls on some lines of the files, drawn by a fixed rule. */
export async function knownCalls(
  command: readonly string[],
  folder: string,
  files: readonly SourceText[],
  maxCalls: number,
): Promise<readonly KnownCall[]> {
  const sites = drawn(await callSites(files), maxCalls);
  const texts = new Map(files.map(({ path, text }) => [path, text.split('\n')]));
  const server = new LanguageServer(command, folder);
  await server.start();
  const known: KnownCall[] = [];
  for (const [path, inFile] of Map.groupBy(sites, (site) => site.path)) {
    const file = files.find((each) => each.path === path)!;
    server.open(path, file.language === 'TSX' ? 'typescriptreact' : file.language.toLowerCase(), file.text);
    for (let first = 0; first < inFile.length; first += together)
      known.push(...(await Promise.all(inFile.slice(first, first + together).map(targetsOf))));
    server.close(path);
  }
  server.stop();
  return known;

  async function targetsOf({ path, name, line, character }: CallSite): Promise<KnownCall> {
    const found = await server.definitionsAt(path, { line, character });
    const targets = found.flatMap(({ uri, line: at }) => {
      const prefix = `${folder}/`;
      const file = uri.startsWith('file:') ? fileURLToPath(uri) : '';
      if (!file.startsWith(prefix) || file.includes('/node_modules/')) return [];
      return [{ path: file.slice(prefix.length), line: at + 1 }];
    });
    const call = { path, line: line + 1, name };
    // A name that an import of an absent package binds leads to the import.
    const isUnknown = targets.some((each) => isImport(texts.get(each.path) ?? [], each.line - 1));
    if (found.length === 0 || isUnknown) return { ...call, targets: undefined };
    return { ...call, targets: targets.length === 0 ? 'elsewhere' : targets };
  }
}

async function callSites(files: readonly SourceText[]): Promise<readonly CallSite[]> {
  await Parser.init();
  const opened = new Map<string, { parser: Parser; query: Query }>();
  const sites: CallSite[] = [];
  for (const { path, language, text } of files) {
    const { grammar } = languages.get(language)!;
    if (!opened.has(language)) {
      const loaded = await Grammar.load(require.resolve(`${grammar.package}/${grammar.file}`));
      const parser = new Parser();
      parser.setLanguage(loaded);
      opened.set(language, { parser, query: new Query(loaded, queries[language]!) });
    }
    const { parser, query } = opened.get(language)!;
    const tree = parser.parse(text)!;
    for (const { node } of query.captures(tree.rootNode)) {
      const { row, column } = node.startPosition;
      const name = text.slice(node.startIndex, node.endIndex).replace(/^#/u, '');
      sites.push({ path, name, line: row, character: column });
    }
    tree.delete();
  }
  return sites;
}

/** Draws whole lines, because an edge names a line. */
function drawn(sites: readonly CallSite[], maxCalls: number): readonly CallSite[] {
  const rank = ({ path, line }: CallSite): string =>
    createHash('sha256').update(`${path}:${line}`).digest('hex');
  const ranked = sites.map((site) => ({ site, rank: rank(site) }));
  const chosen = ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, maxCalls);
  return chosen.map(({ site }) => site).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Returns whether a line is part of an import, which may have several lines. */
function isImport(lines: readonly string[], index: number): boolean {
  let at = index;
  while (at > 0 && insideImport.test(lines[at] ?? '')) at -= 1;
  return startOfImport.test(lines[at] ?? '');
}

/** Returns whether calls of a language can be asked about. */
export function hasCalls(language: string): boolean {
  return queries[language] !== undefined;
}
