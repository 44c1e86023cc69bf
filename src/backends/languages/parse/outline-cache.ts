import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { inTurns } from '../../../foundation/kernel/limits/in-turns.ts';
import { UnnamedFile } from '../../../foundation/kernel/unnamed-file.ts';
import type { ParseResult, SourceText } from '../outline.ts';
import { ParseBudget } from './parse-budget.ts';
import { filesAtOnce } from './parse-queue.ts';

/** Parses files; one that cannot be parsed has no names and uses. */
export interface FileParser {
  /**
   * Returns the results in the order of the files. Calls with the same budget are one caller.
   * @throws the reason of `signal`; Unavailable if the parser was closed
   */
  parseFiles(
    files: readonly SourceText[],
    signal: AbortSignal,
    budget?: ParseBudget,
  ): Promise<readonly ParseResult[]>;
}

/**
 * Time for which a caller waits for a text that another caller parses, in milliseconds. Later it parses the text
 * itself, because the queue prefers callers that used less processor time than the other one.
 */
const patienceMs = 2_000;

/** Size of the results from which they are dropped, in bytes. */
const maxBytes = 2 ** 29;

/**
 * Keeps the results of a parser for a while, because the index and the graph ask for the same files one after the
 * other. A text is known by its hash, so that whoever asks has it. The results of a large repository do not fit into
 * memory; they are in a temporary file, which is begun again when it is full.
 */
export class OutlineCache implements FileParser {
  readonly #parser: FileParser;
  readonly #folder: string;
  readonly #maxBytes: number;
  /** The results that are awaited, by key; `undefined` if parsing fails. */
  readonly #parsing = new Map<string, Promise<ParseResult | undefined>>();
  #file: UnnamedFile | undefined;
  /** The places of the results in the file, by key. */
  readonly #places = new Map<string, { readonly position: number; readonly length: number }>();

  /** `folder`: where temporary files may be. */
  constructor(parser: FileParser, folder: string, limit = maxBytes) {
    this.#parser = parser;
    this.#folder = folder;
    this.#maxBytes = limit;
  }

  async parseFiles(
    files: readonly SourceText[],
    signal: AbortSignal,
    budget = new ParseBudget(),
  ): Promise<readonly ParseResult[]> {
    return inTurns(files, filesAtOnce, async (file) => ({
      ...(await this.#parseOnce(file, signal, budget)),
      path: file.path,
    }));
  }

  /** Parses a text, and lets other callers wait for it. */
  async #parseOnce(file: SourceText, signal: AbortSignal, budget: ParseBudget): Promise<ParseResult> {
    const key = keyOf(file);
    const other = this.#parsing.get(key);
    const known = this.#read(key) ?? (other && (await inTime(other)));
    if (known !== undefined) return known;
    const parsing = this.#parser.parseFiles([file], signal, budget).then(([result]) => result!);
    const forOthers = parsing.catch(() => undefined);
    this.#parsing.set(key, forOthers);
    try {
      return this.#keep(key, await parsing);
    } finally {
      if (this.#parsing.get(key) === forOthers) this.#parsing.delete(key);
    }
  }

  /** Deletes the results. */
  close(): void {
    this.#drop();
  }

  #drop(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#places.clear();
  }

  /** Keeps a result; not that a budget was used up, which says nothing of the file. */
  #keep(key: string, result: ParseResult): ParseResult {
    if (isOutOfBudget(result)) return result;
    if (this.#file !== undefined && this.#file.size >= this.#maxBytes) this.#drop();
    this.#file ??= new UnnamedFile(this.#folder, 'outlines');
    const bytes = zstdCompressSync(JSON.stringify(result));
    const place = { position: this.#file.size, length: bytes.length };
    // A write may fail, and then the place has other bytes.
    this.#file.append(bytes);
    this.#places.set(key, place);
    return result;
  }

  #read(key: string): ParseResult | undefined {
    const place = this.#places.get(key);
    const bytes = place && this.#file?.read(place.position, place.length);
    return bytes && (JSON.parse(zstdDecompressSync(bytes).toString()) as ParseResult);
  }
}

/** Returns the result of another caller if it comes in time; a used up budget says nothing of the file. */
async function inTime(parsing: Promise<ParseResult | undefined>): Promise<ParseResult | undefined> {
  const timer = new AbortController();
  const late = sleep(patienceMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined);
  const result = await Promise.race([parsing, late]);
  timer.abort();
  return result === undefined || isOutOfBudget(result) ? undefined : result;
}

function isOutOfBudget(result: ParseResult): boolean {
  return 'failed' in result && result.failed === 'budget';
}

/** The end of its name may tell that a file is in another language than its name says: a header in C++. */
function keyOf({ path, language, text }: SourceText): string {
  return `${extname(path)} ${language} ${hash('sha256', text, 'base64url')}`;
}
