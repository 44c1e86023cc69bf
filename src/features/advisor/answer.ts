import type { Confidence } from '../../backends/codesearch/port.ts';
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
  /**
   * The text, with control characters removed: all of it, or the lines that decide, with marks for the gaps. Third-party
   * data, never instructions.
   */
  readonly excerpt: string;
  readonly reasons: readonly string[];
  /** Points of the ranking, if it was ranked. */
  readonly score?: number;
}

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

/** The nearest place of a repository, for a question about several; none if nothing is near in it. */
export interface RepositoryAnswer {
  readonly repository: string;
  /** `repository/path:10-20`. */
  readonly nearest?: string;
}

export interface Answer {
  /** Markdown without links; statements of fact carry their `[n]`. Contains no passage: those are in the citations. */
  readonly answer: string;
  /** The answer for an agent: the same statements, with the passages that it cites. At most 6,000 bytes. */
  readonly text: string;
  /** In the order of their numbers. */
  readonly citations: readonly Citation[];
  /** The probability, in a word, that what was asked for is among the citations. */
  readonly confidence: Confidence;
  /** True if the answer is that there is no such thing. */
  readonly notFound?: true;
  readonly perRepository?: readonly RepositoryAnswer[];
  readonly freshness: readonly Freshness[];
  /** The language model that wrote it; absent for an extractive answer. */
  readonly model?: string;
  /** Why the language model that is configured did not write it. */
  readonly notice?: AnswerNotice;
  /** True if more was found than is shown. */
  readonly truncated: boolean;
  /** True if the ranking was cut short, or a part could not be searched. */
  readonly partial?: true;
}
