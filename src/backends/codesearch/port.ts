import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';

export { matchesBranchGlob } from './branch-glob.ts';
export { languageNames, languageOf } from './language.ts';
export { parsePattern } from './parse-pattern.ts';

/**
 * The code search ports. Adapters: embedded (segments in DATA_DIR), remote (a code search service at CODESEARCH_URL) and
 * Zoekt.
 * Every read takes the organization first and never answers from another one; `repository` alone is never trusted.
 */

/** A query as a tree. `features/search/query` parses text into it; every adapter translates the same tree. */
export type Query =
  | { readonly kind: 'and'; readonly operands: readonly Query[] }
  | { readonly kind: 'or'; readonly operands: readonly Query[] }
  | { readonly kind: 'not'; readonly operand: Query }
  /** The literal `text`, in content or path (`any`: either of them). */
  | {
      readonly kind: 'literal';
      readonly text: string;
      readonly caseSensitive: boolean;
      readonly field: TextField;
    }
  /** A pattern of the RE2 subset (no lookaround, no backreferences), matched line by line like ripgrep does. */
  | {
      readonly kind: 'regex';
      readonly source: string;
      readonly caseSensitive: boolean;
      readonly field: TextField;
    }
  /** Repository whose name contains `text`, case-insensitively. */
  | { readonly kind: 'repository'; readonly text: string }
  /** Language name as in `FileMatch.language`, case-insensitively. */
  | { readonly kind: 'language'; readonly name: string }
  /** A file that defines a name which holds `text` (literal) or matches the pattern `text` (regex). */
  | {
      readonly kind: 'symbol';
      readonly form: 'literal' | 'regex';
      readonly text: string;
      readonly caseSensitive: boolean;
    }
  /**
   * A file on an indexed branch of this name; `*` and `?` are wildcards, `HEAD` is the default branch. A query without
   * such a leaf asks the default branch alone.
   */
  | { readonly kind: 'branch'; readonly pattern: string };

export type TextField = 'content' | 'path' | 'any';

export interface SearchRequest {
  readonly query: Query;
  /**
   * Only these repositories, where given: such as an index was made of, so that one without an index is `damaged`. Those
   * of another organization give no file, and look like those that do not exist.
   */
  readonly repositories?: readonly NamedRepository[];
  /** Files in the answer, best first; 1 to 1000. */
  readonly limit: number;
  /** Files to pass over, for the next page; from `SearchResult.nextOffset`. */
  readonly offset?: number;
  /** Matching lines reported of one file, within `mostShown`; the rest is counted in `FileMatch.moreMatches`. */
  readonly matchesPerFile: number;
  /** Lines of context before and after each match; 0 to 10. */
  readonly contextLines: number;
  /**
   * After so many milliseconds the answer is what was found, with `incomplete: 'deadline'`, the last files perhaps
   * without their lines; where the search could not even begin by then, Unavailable.
   */
  readonly deadlineMs: number;
}

/** A repository as a query knows it: `repo:` compares the name. */
export interface NamedRepository {
  readonly id: RepositoryId;
  /** Unique in the deployment; engines that know repositories by number (Zoekt) use it. */
  readonly number: number;
  readonly name: string;
}

export interface SearchResult {
  readonly files: readonly FileMatch[];
  readonly stats: SearchStats;
  /**
   * Set when there may be more matching files than those that were looked at. `damaged`, which goes before the others:
   * the index of a repository in range is lost or cannot be read, until it has been built anew.
   */
  readonly incomplete?: Incomplete;
  /** Set when another page exists. */
  readonly nextOffset?: number;
}

export type Incomplete = 'deadline' | 'limit' | 'damaged';

export interface SearchStats {
  /** Files that the index could not exclude. */
  readonly candidates: number;
  /** Candidates whose bytes were read. */
  readonly scanned: number;
  /** Matching files found (all of them unless `incomplete`). */
  readonly matched: number;
  readonly milliseconds: number;
}

export interface FileMatch {
  readonly repository: RepositoryId;
  /** The indexed branch that the file was found on: the first that the query asks for, the default branch first. */
  readonly branch: string;
  /** The commit of that branch at which `path` was indexed, 40 or 64 hex digits. */
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  /** Higher is better; comparable inside one answer only. */
  readonly score: number;
  /** What spoke for or against the file, strongest first, in words for people (`defines parseQuery`, `test file`). */
  readonly reasons: readonly string[];
  readonly matches: readonly LineMatch[];
  readonly moreMatches: number;
}

export interface LineMatch {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units of the whole line. */
  readonly column: number;
  /** In UTF-16 code units; 0 for a match of the path alone. */
  readonly length: number;
  /** The line without its terminator, cut at `longestLine` round the match. */
  readonly text: string;
  /** UTF-16 code units of the line before `text`; 0 unless it was cut there. */
  readonly textOffset: number;
  /** Each cut behind `longestContextLine`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The name that the line defines, where the match lies in a definition known to the index. */
  readonly symbol?: DefinedSymbol;
}

/** UTF-16 code units of a line that are shown. */
export const longestLine = 2000;

/** The same of a line before or after the match. */
export const longestContextLine = 300;

/**
 * UTF-16 code units of matching lines and those around them that one answer shows, in all and of one file; a few more
 * are taken off for each line. What does not fit is counted in `FileMatch.moreMatches`: the file keeps its place.
 */
export const mostShown = { answer: 4 * 1024 * 1024, file: 1024 * 1024 } as const;

export interface DefinedSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
}

/** What a definition defines; `other` for what a language calls by a word of its own. */
export type SymbolKind = (typeof symbolKinds)[number];

export const symbolKinds = [
  'other',
  'function',
  'method',
  'class',
  'interface',
  'struct',
  'enum',
  'type',
  'constant',
  'variable',
  'field',
  'module',
  'macro',
] as const;

/** What the advisor asks: which files speak of this? Terms are raw words; the adapter splits and stems them. */
export interface RankRequest {
  /** Words of the prompt without stop words. */
  readonly terms: readonly string[];
  /** Names as written in code (camelCase, snake_case, back-ticked): an exact mention weighs more. */
  readonly identifiers: readonly string[];
  /** Paths or file names as written in the prompt. */
  readonly paths: readonly string[];
  readonly repositories?: readonly NamedRepository[];
  /** 1 to 200. */
  readonly limit: number;
}

export interface RankResult {
  readonly files: readonly RankedFile[];
  readonly incomplete?: Exclude<Incomplete, 'limit'>;
}

export interface RankedFile {
  readonly repository: RepositoryId;
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly score: number;
  /** Which signals spoke for the file, strongest first, in words for people (`content: retry, lease`). */
  readonly reasons: readonly string[];
  /** The lines that speak most for the file, best first, 1-based inclusive, at most three. */
  readonly spans: readonly LineSpan[];
}

export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}

export interface CodeSearch {
  readonly capabilities: {
    /** `index`: term statistics of our own segments; `native`: the engine's own order. */
    readonly rank: 'index' | 'native';
  };
  /**
   * Files that match, best first. Exact: the set of files is the one a scan of every file would give.
   * @throws InvalidInput for a pattern outside the RE2 subset or over its caps; Unavailable `overloaded` when too many
   * searches wait, of the organization or in all. One organization's searches do not keep out those of another.
   */
  search(scope: OrgScope, request: SearchRequest, signal: AbortSignal): Promise<SearchResult>;
  /**
   * Files that speak of the terms, best first. Deterministic for one index generation.
   * @throws Unavailable `overloaded`, as `search` does.
   */
  rank(scope: OrgScope, request: RankRequest, signal: AbortSignal): Promise<RankResult>;
  close(): Promise<void>;
}

/** Milliseconds; a ranking that takes longer answers with what it has. */
export const rankDeadlineMs = 2000;

/** What is in the index of one repository: the manifest, the truth of answers. */
export interface IndexStatus {
  /** Rises by one with each change of the manifest. */
  readonly generation: number;
  /** Of the default branch. */
  readonly commit: string;
  /** All that is indexed, the default branch first. */
  readonly branches: readonly BranchHead[];
  /** True when `tidy` has something to bring along. */
  readonly untidy: boolean;
  readonly files: number;
  /** Bytes of indexed text. */
  readonly bytes: number;
  /** Files left out, counted by reason (`too_large`, `binary`, `submodule`, `symlink`, `unsafe_name`). Never silent. */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface BranchHead {
  readonly name: string;
  readonly commit: string;
}

/** Bytes; larger files are data: they are counted as `too_large`, not indexed. */
export const mostFileBytes = 1024 * 1024;

/** Branches of one repository in an index, the default branch included. */
export const mostBranches = 64;

export interface IndexRequest {
  readonly scope: OrgScope;
  readonly repository: NamedRepository;
  /** The bare mirror that holds the commits. */
  readonly gitDir: string;
  /** What to index: the default branch first, at most 64. What is not named any more leaves the index. */
  readonly branches: readonly [BranchHead, ...BranchHead[]];
  /** Called about once a second with files done and, once known, files in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CodeIndex {
  /** Brings the index to these commits. Idempotent; the former generation answers until the new manifest is in place. */
  apply(request: IndexRequest, signal: AbortSignal): Promise<IndexStatus>;
  /**
   * Brings along what can wait: merges what pushes left apart, drops what is dead, and reads what past commits say, a
   * hint for `rank`. What is found stays the same. Work for a quiet moment: a push need not wait for it, and it gives
   * way to one. Nothing to do where `IndexStatus.untidy` is false.
   */
  tidy(request: IndexRequest, signal: AbortSignal): Promise<IndexStatus>;
  /** The repository vanishes from answers at once (manifest first), then its files go. */
  remove(scope: OrgScope, repository: RepositoryId): Promise<void>;
  /** `undefined` when nothing (readable) is indexed. Reads every byte of a generation that it has not seen yet. */
  status(scope: OrgScope, repository: RepositoryId): Promise<IndexStatus | undefined>;
  /** True where there is none, and from the moment somebody found it damaged until it has been built anew. Cheap. */
  isDamaged(scope: OrgScope, repository: RepositoryId): Promise<boolean>;
}

export interface ReadFileRequest {
  readonly repository: RepositoryId;
  /** Default: the indexed commit. */
  readonly commit?: string;
  readonly path: string;
}

export interface SourceFile {
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly bytes: number;
  /**
   * Decoded as UTF-8 without a byte order mark, invalid sequences replaced; `undefined` for a binary file or one over
   * `maxSourceBytes`.
   */
  readonly content: string | undefined;
}

export interface TreeEntry {
  /** Whole path from the root of the repository. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'submodule';
  /** Of files and symlinks; 0 otherwise. */
  readonly bytes: number;
}

export interface SourceTree {
  readonly commit: string;
  readonly entries: readonly TreeEntry[];
}

/** Bytes; `SourceReader` gives no content of a larger file. */
export const maxSourceBytes = 1024 * 1024;

/** Reads one commit of a repository from its mirror. Absent repository, commit or path: `undefined`. */
export interface SourceReader {
  readFile(scope: OrgScope, request: ReadFileRequest, signal: AbortSignal): Promise<SourceFile | undefined>;
  /** The entries directly under `path` (empty: the root), directories first, then by name. */
  listTree(scope: OrgScope, request: ReadFileRequest, signal: AbortSignal): Promise<SourceTree | undefined>;
  close(): Promise<void>;
}
