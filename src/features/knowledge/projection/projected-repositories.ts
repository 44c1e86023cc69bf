import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { RecordSource } from '../links/record-facts.ts';
import type { LeftOutFiles } from './left-out-files.ts';
import type { ProjectionPayload } from './tasks.ts';

/** A repository as the projection needs it. */
export interface ProjectedRepository {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  /** Host and path; `undefined` for a folder. */
  readonly hosted: string | undefined;
  /** The bare mirror. */
  readonly gitDir: string;
  /** The commit to project. */
  readonly commit: string;
  /** The connections that mirror into it. Empty for all repositories but bound context repositories. */
  readonly sources: readonly RecordSource[];
}

/** The repositories of the deployment, which another feature keeps. */
export interface ProjectedRepositories {
  /** Returns `undefined` for an organization that is gone. */
  find(payload: ProjectionPayload): Promise<
    | {
        readonly scope: OrgScope;
        /** `gone`: it was removed. `not_ready`: it has no index or mirror yet. */
        readonly repository: ProjectedRepository | 'gone' | 'not_ready';
      }
    | undefined
  >;
  /** Records the commit up to which the graph contains the repository, and the files that it does not know. */
  recordGraph(payload: ProjectionPayload, commit: string, leftOut: LeftOutFiles): Promise<void>;
  /** Lists all repositories that are indexed. */
  list(): AsyncIterable<{ readonly payload: ProjectionPayload; readonly repository: ProjectedRepository }>;
  /** Returns whether the last projection of a repository stopped its worker and was given up. */
  hasStopper(payload: ProjectionPayload): Promise<boolean>;
  /** Enqueues the projection of a repository. */
  enqueue(payload: ProjectionPayload): Promise<void>;
}
