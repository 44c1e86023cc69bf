/** What can be made again from the repositories and the mirrored files. Changed together with `derivedVersion`. */
export interface DerivedTables {
  derived_version: DerivedVersionRow;
  projection_marks: ProjectionMarkRow;
}

/** One row. A store of another version is emptied and made anew, never converted. */
export interface DerivedVersionRow {
  version: number;
  made_at: number;
}

/** Up to which commit a repository has been projected. Written with the facts of that commit, in one transaction. */
export interface ProjectionMarkRow {
  repository_id: string;
  commit_id: string;
  projected_at: number;
}
