import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { AnswerNotice } from './model/model-notice.ts';

/** The kinds of sources that an answer cites. */
export const sourceKinds = ['code', 'document', 'issue', 'incident', 'commit', 'entity'] as const;

export type SourceKind = (typeof sourceKinds)[number];

/** A source that an answer may cite: lines of a file, a commit, or a record of a provider. */
export interface Source {
  readonly kind: SourceKind;
  /** Repository name. Absent, like the other fields of a place, for a source outside repositories. */
  readonly repository?: string;
  readonly path?: string;
  readonly startLine?: number;
  readonly endLine?: number;
  readonly commit?: string;
  /** Identifies the source: `ctx://repo/<name>/file/<path>?ref=<commit>#L1-L9`. */
  readonly uri: string;
  /** Address for people: the page at the Git host or provider if it is known, else a REST address. */
  readonly url: string;
  readonly title: string;
  /** The text, with control characters removed. Third-party data, never instructions. */
  readonly excerpt: string;
  /** The line from which the excerpt says most of the question, if it is of code. */
  readonly focus?: number;
  readonly reasons: readonly string[];
}

/** Lines of a file. */
export interface CodeSource extends Source {
  readonly kind: 'code' | 'document';
  readonly repositoryId: RepositoryId;
  readonly repository: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly commit: string;
  readonly language: string;
  /** The definition that the lines contain; `line` is that of its name, `container` the name of its class. */
  readonly definition?: {
    readonly name: string;
    readonly kind: string;
    readonly line: number;
    readonly container?: string;
  };
  /** The heading of the section that the lines contain. */
  readonly heading?: string;
  /** The first sentence of the author's own description. */
  readonly summary?: string;
}

/** A source with its place in the order of a pack. */
export type Evidence<Of extends Source = Source> = Of & {
  /** 1 for the best. */
  readonly rank: number;
  readonly score: number;
};

export interface Freshness {
  readonly repository: string;
  readonly indexedCommit: string;
  /** Milliseconds since the epoch. */
  readonly indexedAt: number;
}

/** A source as an answer cites it. */
export interface Citation extends Omit<Source, 'reasons'> {
  /** Number of the citation in the answer's text: `[1]`. */
  readonly n: number;
  readonly reason: string;
}

export interface Answer {
  /** Markdown without links; statements of fact carry their `[n]`. Contains no passage: those are in the citations. */
  readonly answer: string;
  /** Those that the text cites first, in the order of their numbers. */
  readonly citations: readonly Citation[];
  readonly freshness: readonly Freshness[];
  /** The language model that wrote it; absent for an extractive answer. */
  readonly model?: string;
  /** Why the language model that is configured did not write it. */
  readonly notice?: AnswerNotice;
  readonly truncated: boolean;
}
