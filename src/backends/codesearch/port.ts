import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import type { DefinedSymbol } from '../languages/port.ts';
import type { ClassWeights } from './file-class.ts';
import type { ListedLines } from './listed-lines.ts';
import type { RankedFile, RankedPassages } from './ranked-file.ts';

export {
  type DefinedSymbol,
  type Definition,
  languageAliases,
  languageNames,
  languageOf,
  languageOfName,
  maxFileBytes,
  type SymbolKind,
  symbolKinds,
} from '../languages/port.ts';
export { asksForValue } from './asks-for-value.ts';
export { matchesBranchGlob } from './branch-glob.ts';
export { type ClassWeights, classWeights, type FileClass, fileClassOf, isProse } from './file-class.ts';
export {
  LineCollector,
  type ListedLines,
  type ListedRepository,
  listedFiles,
  maxListed,
  packPaths,
  pathAt,
} from './listed-lines.ts';
export { maxPatternLength, parsePattern } from './parse-pattern.ts';
export * from './ranked-file.ts';
export * from './source-reader.ts';
export { textOf } from './text-file.ts';
export { isSamePath } from './usable-names.ts';
export { isWholeWord } from './whole-word.ts';

/**
 * The code search ports. Adapters: embedded (segments in DATA_DIR), remote (a code search service at CODESEARCH_URL)
 * and Zoekt. Every read takes the organization first and returns nothing of another one; a repository id alone is
 * never trusted.
 */

/** A query as a tree. `features/search/query` parses text to this tree, and every adapter translates it. */
export type Query =
  | { readonly kind: 'and'; readonly operands: readonly Query[] }
  | { readonly kind: 'or'; readonly operands: readonly Query[] }
  | { readonly kind: 'not'; readonly operand: Query }
  /** A literal text in the content, the path or either of them (`any`). */
  | {
      readonly kind: 'literal';
      readonly text: string;
      readonly caseSensitive: boolean;
      readonly field: TextField;
    }
  /** A pattern of the RE2 subset (no lookaround, no backreferences), matched line by line as in ripgrep. */
  | {
      readonly kind: 'regex';
      readonly source: string;
      readonly caseSensitive: boolean;
      readonly field: TextField;
    }
  /**
   * A text in the content as a whole word, in this case: without a letter, mark, digit, connector (`\p{Pc}`) or joiner
   * before and after it, as in ripgrep.
   */
  | { readonly kind: 'word'; readonly text: string }
  /** A repository whose name contains `text`, case-insensitive. */
  | { readonly kind: 'repository'; readonly text: string }
  /** A language name as in `FileMatch.language`, case-insensitive. */
  | { readonly kind: 'language'; readonly name: string }
  /**
   * A file that defines a symbol whose name is `text` (whole), contains it (literal) or matches the pattern `text`
   * (regex).
   */
  | {
      readonly kind: 'symbol';
      readonly form: 'whole' | 'literal' | 'regex';
      readonly text: string;
      readonly caseSensitive: boolean;
    }
  /**
   * A file on an indexed branch of this name; `*` and `?` are wildcards, `HEAD` is the default branch. A query
   * without a branch leaf searches the default branch only.
   */
  | { readonly kind: 'branch'; readonly pattern: string };

export type TextField = 'content' | 'path' | 'any';

export interface SearchRequest {
  readonly query: Query;
  /**
   * The repositories to search; default: all. Each is expected to have an index; one without makes the result
   * `damaged`. A repository of another organization matches no file, just like one that does not exist.
   */
  readonly repositories?: readonly NamedRepository[];
  /** Maximum number of files in the result, best first; 1 to 1000. */
  readonly limit: number;
  /** Number of files to skip, for the next page; from `SearchResult.nextOffset`. */
  readonly offset?: number;
  /** Maximum number of matching lines per file, within `maxMatchText`; `FileMatch.moreMatches` counts the rest. */
  readonly matchesPerFile: number;
  /** Number of matching lines of each file to skip, for the next page inside a file. Default: 0. */
  readonly skipMatches?: number;
  /** Number of context lines before and after each match; 0 to 10. */
  readonly contextLines: number;
  /**
   * Time limit in milliseconds, from the start of the search. When it passes, the result contains what was found so
   * far, with `incomplete: 'deadline'`; the last files may lack their lines.
   */
  readonly deadlineMs: number;
  /**
   * Limit of the processor time in milliseconds, with the same result. Default: any. The embedded engine measures it,
   * so that a busy machine does not shorten the search.
   */
  readonly processorMs?: number;
  /** Maximum wait for the start, in milliseconds; then the search fails with Unavailable. Default: `deadlineMs`. */
  readonly waitMs?: number;
  /**
   * Returns the numbers of all matching lines (`SearchResult.listed`) in place of files, of up to `limit` files.
   * `limit` is then 1 to `maxListed.files`, and there is no other page.
   */
  readonly everyLine?: true;
}

/** A repository with the name that `repo:` compares. */
export interface NamedRepository {
  readonly id: RepositoryId;
  /** Unique in the deployment; used by engines that identify repositories by number (Zoekt). */
  readonly number: number;
  readonly name: string;
}

export interface SearchResult {
  readonly files: readonly FileMatch[];
  /** The matching lines, if the request has `everyLine`; may lack if there are none. */
  readonly listed?: ListedLines;
  readonly stats: SearchStats;
  /**
   * Set if there may be matching files outside the searched part. `damaged` takes precedence: the index of a searched
   * repository is missing or unreadable until it is rebuilt.
   */
  readonly incomplete?: Incomplete;
  /** Set if there is another page. */
  readonly nextOffset?: number;
}

/**
 * Why a result may lack files: the time or a limit ended it, an index is damaged, or the query has a symbol and
 * definitions of a searched repository are still being read.
 */
export type Incomplete = 'deadline' | 'limit' | 'damaged' | 'definitions';

export interface SearchStats {
  /** Files that the index could not exclude. */
  readonly candidates: number;
  /** Candidates whose content was read. */
  readonly scanned: number;
  /** Number of matching files found (all of them unless `incomplete`). */
  readonly matched: number;
  readonly milliseconds: number;
}

export interface FileMatch {
  readonly repository: RepositoryId;
  /** The indexed branch where the file was found: the first one that the query names, the default branch first. */
  readonly branch: string;
  /** The commit of that branch at which `path` was indexed, 40 or 64 hex digits. */
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  /** Higher is better; comparable within one result only. */
  readonly score: number;
  /** Reasons for the score, strongest first, as readable text (`defines parseQuery`, `test file`). */
  readonly reasons: readonly string[];
  readonly matches: readonly LineMatch[];
  /** Number of matching lines after those in `matches`. */
  readonly moreMatches: number;
}

export interface LineMatch {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units of the whole line. */
  readonly column: number;
  /** In UTF-16 code units; 0 for a match of the path alone. */
  readonly length: number;
  /** The line without its terminator, truncated to `maxLineLength` around the match. */
  readonly text: string;
  /** Number of UTF-16 code units of the line before `text`; 0 unless the start was truncated. */
  readonly textOffset: number;
  /** Each truncated to `maxContextLineLength`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The symbol that the line defines, if the match is in a definition known to the index. */
  readonly symbol?: DefinedSymbol;
}

/** Maximum length of a matching line in a result, in UTF-16 code units. */
export const maxLineLength = 2000;

/** Maximum length of a context line in a result, in UTF-16 code units. */
export const maxContextLineLength = 300;

/**
 * Maximum size of the matching and context lines of one response, overall and per file, in UTF-16 code units; each
 * line also counts a small overhead. Matches that do not fit are counted in `FileMatch.moreMatches`; the file stays
 * in the result.
 */
export const maxMatchText = { answer: 4 * 1024 * 1024, file: 1024 * 1024 } as const;

/** A query of the advisor for files related to a prompt. Terms are raw words; the adapter splits and stems them. */
export interface RankRequest {
  /** Words of the prompt in their order, without stop words. */
  readonly terms: readonly string[];
  /** Names as written in code (camelCase, snake_case, back-ticked); an exact mention scores higher. */
  readonly identifiers: readonly string[];
  /** Paths or file names as written in the prompt. */
  readonly paths: readonly string[];
  /** Quoted texts of several words; a file that contains one scores higher. */
  readonly phrases?: readonly string[];
  /** Lines that the prompt points to, such as the frames of a stack trace. */
  readonly places?: readonly Place[];
  /** The question as it was asked, by which passages are ranked. */
  readonly question: string;
  /** True if the nearest passage of each repository is wanted, so that the best files of each are read. */
  readonly everyRepository?: boolean;
  /** The part of the product that a prefix of the prompt names: `router` of `fix(router): …`. */
  readonly area?: string;
  /** Repositories that the prompt names; their files score higher. */
  readonly preferred?: readonly RepositoryId[];
  /** Factors on the scores of files by class; a class without one has the factor of `classWeights`. */
  readonly weights?: Partial<ClassWeights>;
  readonly repositories?: readonly NamedRepository[];
  /** Maximum number of files; 1 to 200. */
  readonly limit: number;
  /** Maximum wait for the start, in milliseconds; then the ranking fails with Unavailable. */
  readonly waitMs: number;
}

/** A line of a file whose path ends with `path` or is its end. */
export interface Place {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

export interface RankResult {
  /** Best first. */
  readonly files: readonly RankedFile[];
  /** The passages of these files that answer the question best. */
  readonly passages: RankedPassages;
  /** Identifiers and phrases of the request that no searched file contains; empty if that is not certain. */
  readonly unmatched: readonly string[];
  /** Set if a limit of `rankLimits` ended the ranking: files may be missing, or in the order of the index alone. */
  readonly partial?: true;
  readonly incomplete?: Extract<Incomplete, 'damaged'>;
}

export interface CodeSearch {
  readonly capabilities: {
    /** `index`: the term statistics of our segments; `native`: the ranking of the engine. */
    readonly rank: 'index' | 'native';
  };
  /**
   * Returns the matching files, best first. Exact: the same set of files as a scan of every file would return.
   * @throws InvalidInput for a pattern outside the RE2 subset or beyond its limits; Unavailable `overloaded` if too
   * many searches wait, of the organization or overall, or if the search waited for `waitMs`. Searches of one
   * organization never block those of another.
   */
  search(
    scope: DataScope,
    request: SearchRequest,
    signal: AbortSignal,
    onStart?: OnStart,
  ): Promise<SearchResult>;
  /**
   * Returns the files related to the terms, best first. Deterministic for one index generation.
   * @throws Unavailable `overloaded`, like `search`
   */
  rank(scope: DataScope, request: RankRequest, signal: AbortSignal, onStart?: OnStart): Promise<RankResult>;
  close(): Promise<void>;
}

/** Called once, when a task leaves the queue and starts. */
export type OnStart = () => void;

/**
 * Limits of a ranking from its start, in milliseconds: its processor time (of the embedded engine) and its time on the
 * clock. A ranking that reaches one of them returns what it has: it is `partial`.
 */
export const rankLimits = { processorMs: 4_000, deadlineMs: 20_000 } as const;

/** The contents of the index of one repository. The manifest is the source of truth for results. */
export interface IndexStatus {
  /** Increases by one with each change of the manifest. */
  readonly generation: number;
  /** The indexed commit of the default branch. */
  readonly commit: string;
  /** All indexed branches, the default branch first. */
  readonly branches: readonly BranchHead[];
  /** True if `compact` has work to do. */
  readonly needsCompaction: boolean;
  /**
   * Number of files whose definitions `define` has still to read. They are searchable, but `sym:` does not find them,
   * and results lack their definitions.
   */
  readonly filesWithoutDefinitions: number;
  readonly files: number;
  /** Size of the indexed text, in bytes. */
  readonly bytes: number;
  /**
   * Number of skipped files by reason (`too_large`, `binary`, `submodule`, `symlink`, `lfs_pointer`, `unsafe_name`).
   * Every skipped file is counted.
   */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface BranchHead {
  readonly name: string;
  readonly commit: string;
}

/** Maximum number of indexed branches per repository, including the default branch. */
export const maxBranches = 64;

export interface IndexRequest {
  readonly scope: DataScope;
  readonly repository: NamedRepository;
  /** The bare mirror that contains the commits. */
  readonly gitDir: string;
  /** The branches to index, the default branch first, at most 64. Other branches are removed from the index. */
  readonly branches: readonly [BranchHead, ...BranchHead[]];
  /** Called about once a second with the number of files done and, once known, the total. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CodeIndex {
  /**
   * Updates the index to these commits. Idempotent. The previous generation serves results until the new manifest is
   * in place. The definitions of new files follow with `define`.
   */
  apply(request: IndexRequest, signal: AbortSignal): Promise<IndexStatus>;
  /**
   * Reads definitions of files that lack them, those of the newest pushes first, for a few seconds at most, and adds
   * them to the index. To be repeated until `IndexStatus.filesWithoutDefinitions` is 0. Ignores the requested commits:
   * the texts are those of the index.
   * @throws Unavailable `index_superseded` if there is no readable index
   */
  define(request: IndexRequest, signal: AbortSignal): Promise<IndexStatus>;
  /**
   * Does the maintenance that can wait: merges the segments of pushes, drops dead documents, and reads past commits,
   * which are a hint for `rank`. Search results stay the same. Runs when idle: a push does not wait for it and aborts
   * it. Does nothing if `IndexStatus.needsCompaction` is false.
   */
  compact(request: IndexRequest, signal: AbortSignal): Promise<IndexStatus>;
  /** Removes the repository from results at once (manifest first), then deletes its files. */
  remove(scope: DataScope, repository: RepositoryId): Promise<void>;
  /**
   * Returns the status; `undefined` if there is no readable index. Reads every byte of a generation that was not
   * verified yet.
   */
  status(scope: DataScope, repository: RepositoryId): Promise<IndexStatus | undefined>;
  /**
   * Returns true if there is no index, or if damage was found since it was last rebuilt, also of definitions alone.
   * `apply`, and then `define`, repair it. Cheap.
   */
  isDamaged(scope: DataScope, repository: RepositoryId): Promise<boolean>;
}
