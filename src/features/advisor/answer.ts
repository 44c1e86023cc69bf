import type { RepositoryId } from '../../foundation/kernel/ids.ts';

/** One piece of evidence, as the advisor found it and as its answer cites it. */
export interface Evidence {
  readonly rank: number;
  /** `code` now; documents, issues and incidents join with the graph. */
  readonly kind: 'code';
  readonly repositoryId: RepositoryId;
  /** Repository name. */
  readonly repository: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly commit: string;
  /** `ctx://repo/<name>/file/<path>?ref=<commit>#L1-L9` */
  readonly uri: string;
  /** For people: the Git host's page at that commit where it is known, else our REST address of the file. */
  readonly url: string;
  readonly title: string;
  /** The lines themselves, control characters removed. */
  readonly excerpt: string;
  readonly score: number;
  readonly reasons: readonly string[];
}

export interface Freshness {
  readonly repository: string;
  readonly indexedCommit: string;
  /** Milliseconds since the epoch. */
  readonly indexedAt: number;
}

/** What `POST /context` answers and `svc_advisor` cites. */
export interface EvidencePack {
  readonly items: readonly Evidence[];
  /** True when the limit or the token budget cut the list. */
  readonly truncated: boolean;
  readonly freshness: readonly Freshness[];
  /** Repositories that are not searchable yet, with what they are doing; for the answer to say so. */
  readonly pending: readonly {
    readonly repository: string;
    readonly state: string;
    readonly progress: string;
  }[];
}

/** Evidence as an answer cites it: where it is and why, without the lines. */
export interface Citation extends Omit<Evidence, 'rank' | 'repositoryId' | 'excerpt' | 'score' | 'reasons'> {
  /** The number in the answer's text: `[1]`. */
  readonly n: number;
  readonly reason: string;
}

export interface Answer {
  /** Markdown; every statement of fact carries its `[n]`. */
  readonly answer: string;
  readonly citations: readonly Citation[];
  readonly freshness: readonly Freshness[];
  /** The language model that wrote it; absent for an extractive answer. */
  readonly model?: string;
  readonly truncated: boolean;
}
