import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../foundation/kernel/lower-priority.ts';
import type { Code, LineLanguage } from '../language.ts';
import { sourceLanguages } from '../languages.ts';
import { readLines } from '../lines/read-lines.ts';
import type { SourceText } from '../outline.ts';
import { type Extracted, extractFile, maxDefinitions } from './extract-file.ts';
import { type OpenParser, openParsers } from './open-parsers.ts';
import { wideErrors, withoutErrors } from './without-errors.ts';

/** `started`: the grammar is loaded, and the time of the file runs from now on. */
export type FromParseThread = 'started' | ParseAnswer;

export interface ParseAnswer {
  /** JSON of `Extracted`, which is passed on several times as fast as objects. */
  readonly extracted: string;
  /** The processor time of the file, in milliseconds. */
  readonly usedMs: number;
}

export interface ParseThreadData {
  /** Maximum memory of the grammars and trees of the thread, in pages of 64 KiB. */
  readonly maxPages: number;
  /** Maximum number of places in a file that the query finds. A file with more is data, or generated. */
  readonly maxMatches: number;
}

/*
 * Entry point of the thread that parses files, one at a time and with low priority. Any error ends the thread, because
 * a grammar that failed may have damaged the memory that all grammars share.
 */
lowerPriority();

const { maxPages, maxMatches } = workerData as ParseThreadData;
const parserOf = openParsers(maxPages);

parentPort?.on('message', ({ language, text }: SourceText) => {
  void (async () => {
    const known = sourceLanguages.get(language)!;
    const opened = 'lines' in known ? known : (await parserOf)(known);
    send('started');
    const started = process.threadCpuUsage();
    const extracted = 'lines' in opened ? readByLines(opened, text) : readByTree(opened, text);
    const { user, system } = process.threadCpuUsage(started);
    send({ extracted: JSON.stringify(extracted), usedMs: (user + system) / 1000 });
  })();
});

function send(message: FromParseThread): void {
  parentPort?.postMessage(message, []);
}

function readByTree(opened: OpenParser, text: string): Extracted {
  const code = opened.language.codeIn?.(text) ?? { text };
  // Names are those of the file, where the code stands at its places.
  return onLines(code, readTree(opened, code.text, code.lines === undefined ? text : code.text));
}

/** Reads code, and without the statements that hide others if that finds more definitions. */
function readTree(opened: OpenParser, code: string, named: string): Extracted {
  const { found, errors } = readOnce(opened, code, named);
  if (found === 'too_many_names') return found;
  const blanked = withoutErrors(opened.parser, errors, code);
  if (blanked === undefined) return found;
  const { found: other } = readOnce(opened, blanked, named);
  return other !== 'too_many_names' && other.symbols.length > found.symbols.length ? other : found;
}

/**
 * Reads code, and the wide errors that are worth reading around. The tree is deleted, because two at a time take too
 * much memory.
 */
function readOnce(opened: OpenParser, code: string, named: string) {
  const tree = opened.parser.parse(code);
  if (tree === null) throw new Error(`the parser of ${opened.language.name} returned no tree`);
  try {
    const found = extractFile(opened, tree, named, maxMatches);
    // Most errors of languages with macros are in one statement each, and reading around them finds next to nothing.
    return { found, errors: opened.language.macrosEnclose === true ? [] : wideErrors(tree.rootNode) };
  } finally {
    tree.delete();
  }
}

/** Returns the names of embedded code with the lines of the file that it is in. */
function onLines({ lines }: Code, extracted: Extracted): Extracted {
  if (lines === undefined || extracted === 'too_many_names') return extracted;
  const lineOf = (line: number): number => lines[line - 1] ?? lines.at(-1) ?? 1;
  const placed = <Item extends { readonly line: number }>(items: readonly Item[]): readonly Item[] =>
    items.map((item) => ({ ...item, line: lineOf(item.line) }));
  return {
    ...extracted,
    symbols: placed(extracted.symbols).map((symbol) => ({ ...symbol, endLine: lineOf(symbol.endLine) })),
    imports: placed(extracted.imports),
    calls: placed(extracted.calls),
    references: placed(extracted.references),
  };
}

function readByLines(language: LineLanguage, text: string): Extracted {
  const symbols = readLines(language, text);
  if (symbols.length > maxDefinitions) return 'too_many_names';
  return { package: undefined, symbols, imports: [], calls: [], references: [] };
}
