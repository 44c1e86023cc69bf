import { languageOf, languageOfName, maxFileBytes, textOf } from '../../../backends/codesearch/port.ts';
import type { FileParser, ParseBudget, ParsedFile, ParseFailure } from '../../../backends/languages/port.ts';
import { languages } from '../../../backends/languages/port.ts';
import type { BlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { type FindOwnerRules, ownerFiles, parseCodeOwners } from '../links/code-owners.ts';
import type { UnparsedBlobs } from './unparsed-blobs.ts';

/** A file of a commit. */
export interface FileEntry {
  readonly path: string;
  readonly oid: string;
}

/** Number of files that are parsed together, at most 1 MB each. Twice as many are in memory. */
const filesAtOnce = 32;

/** Reads and parses files, a few at a time, in the given order. The next ones are parsed while these are used. */
export async function* parseEntries(
  deps: ParseDeps,
  entries: readonly FileEntry[],
): AsyncGenerator<ParsedEntry, void> {
  const parse = (first: number): Promise<readonly ParsedEntry[]> => {
    const parsing = parseSlice(deps, entries.slice(first, first + filesAtOnce));
    // A failure is thrown where the result is awaited; nobody awaits it after another failure.
    parsing.catch(() => undefined);
    return parsing;
  };
  let next = parse(0);
  for (let first = filesAtOnce; first < entries.length + filesAtOnce; first += filesAtOnce) {
    const parsed = await next;
    next = parse(first);
    yield* parsed;
  }
}

/** A file with what it says, and why nothing of it could be read. */
type ParsedEntry = readonly [FileEntry, ParsedFile | undefined, failed: ParseFailure | undefined];

async function parseSlice(
  { parser, reader, unparsed, budget, signal }: ParseDeps,
  slice: readonly FileEntry[],
): Promise<readonly ParsedEntry[]> {
  signal.throwIfAborted();
  const texts = await Promise.all(
    slice.map(({ path, oid }) =>
      mayBeCode(path) && unparsed.reasonOf(path, oid) === undefined
        ? readText(reader, oid)
        : Promise.resolve(undefined),
    ),
  );
  const sources = slice.flatMap(({ path }, index) => {
    const text = texts[index];
    const language = languageOf(path, text);
    return text === undefined || !languages.has(language) ? [] : [{ path, language, text }];
  });
  const results = await parser.parseFiles(sources, signal, budget);
  const parsed = new Map(results.map((result) => [result.path, result]));
  const entries = slice.map((entry): ParsedEntry => {
    const result = parsed.get(entry.path);
    if (result !== undefined && !('failed' in result)) return [entry, result, undefined];
    return [entry, withoutNames(entry.path), result?.failed ?? unparsed.reasonOf(entry.path, entry.oid)];
  });
  await unparsed.remember(
    entries.flatMap(([{ path, oid }, , failed]) => (failed === undefined ? [] : { path, oid, failed })),
  );
  return entries;
}

/** Returns whether a file is code by its name, or its first line may say so. */
function mayBeCode(path: string): boolean {
  const language = languageOfName(path);
  return language === undefined || languages.has(language);
}

/** Returns a code file that could not be parsed, such as a large generated one: others may import it all the same. */
function withoutNames(path: string): ParsedFile | undefined {
  const language = languageOf(path);
  const none = { symbols: [], imports: [], calls: [], references: [] };
  return languages.has(language) ? { path, language, package: undefined, ...none } : undefined;
}

export interface ParseDeps {
  readonly parser: FileParser;
  readonly reader: BlobReader;
  readonly unparsed: Pick<UnparsedBlobs, 'reasonOf' | 'remember'>;
  /** The processor time that the unreadable files of one projection may take together. */
  readonly budget: ParseBudget;
  readonly signal: AbortSignal;
}

/** Reads a file as text; `undefined` if it is too large, missing or binary. */
export async function readText(reader: BlobReader, oid: string): Promise<string | undefined> {
  const bytes = await reader.read(oid, maxFileBytes);
  const text = typeof bytes === 'string' ? undefined : textOf(bytes);
  return text === undefined || text.includes(0) ? undefined : text.toString('utf8');
}

/** The owners of files. */
export interface Owners {
  readonly owners: FindOwnerRules;
  /** Id of the file that says so; empty if there is none. */
  readonly ownersId: string;
}

/** Reads the file of owners at the first place that has one. */
export async function readOwners(reader: BlobReader, commit: string): Promise<Owners> {
  for (const path of ownerFiles) {
    const found = await reader.find(commit, path);
    const text = found?.type === 'blob' ? await readText(reader, found.oid) : undefined;
    if (found !== undefined && text !== undefined)
      return { owners: parseCodeOwners(text), ownersId: found.oid };
  }
  return { owners: () => [], ownersId: '' };
}
