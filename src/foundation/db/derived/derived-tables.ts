/**
 * The tables of the derived data, which can be rebuilt from the repositories and the mirrored files. The owners of
 * tables merge them in with `declare module`, as for `Tables`, and create them by a `DerivedSchema`.
 */
export interface DerivedTables {
  derived_version: DerivedVersionRow;
}

/** The only row. A store of another version is emptied and rebuilt, never converted. */
export interface DerivedVersionRow {
  version: string;
  made_at: number;
  /** A new value for each creation, by which a copy in another database recognizes a store that was rebuilt. */
  store_id: string;
}
