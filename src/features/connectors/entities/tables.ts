import type { Generated } from 'kysely';

declare module '../../../foundation/db/tables.ts' {
  interface Tables {
    entity_stores: { connection_id: string };
    entities: EntityRow;
    entity_names: EntityNameRow;
    entity_references: EntityReferenceRow;
    assets: AssetRow;
    sync_checkpoints: SyncCheckpointRow;
  }
}

/** An entity of a provider that a connection mirrors, or one that is part of the file of its parent. */
export interface EntityRow {
  number: Generated<number>;
  connection_id: string;
  kind: string;
  /** The provider's id. */
  id: string;
  /** The entity that it is deleted with. */
  parent_kind: string | null;
  parent_id: string | null;
  /** The path of its file. Null for an item of a list and for a part of the parent's file. */
  path: string | null;
  /** The path that its record asks for, in lower case. It differs from `path` if another entity has that one. */
  wanted_path: string | null;
  /** SHA-256 of the content of its file. `null`: the branch lacks it. Empty: a rebuild writes it again. */
  hash: string | null;
  /** The provider's time of the last change. */
  updated_at: string | null;
  /** JSON: what a scope is evaluated by. */
  facts: string | null;
  /** JSON of `EntityLinks`. */
  links: string | null;
  /** JSON of the record. Only if its file may change without the entity: when what it refers to is moved. */
  record: string | null;
  /** The list that has an item for it: `labels`. */
  list: string | null;
  /** JSON of that item. */
  item: string | null;
  /** Time at which the provider last had it, by the clock of the queue. */
  seen_at: number;
}

/** A name under which addresses lead to an entity: `issue ENG-12`. */
export interface EntityNameRow {
  connection_id: string;
  name: string;
  kind: string;
  id: string;
  /** 0 for its current name; former names have higher ranks. */
  rank: number;
  /** The text of a link that has none. */
  label: string;
}

/** A name that the texts of an entity refer to, or an item of a list that its record names. */
export interface EntityReferenceRow {
  connection_id: string;
  name: string;
  kind: string;
  id: string;
}

/** A file that an entity embeds or that was uploaded to it. */
export interface AssetRow {
  connection_id: string;
  /** The entity. */
  kind: string;
  id: string;
  /** SHA-256 of `url`. */
  url_hash: string;
  url: string;
  /**
   * `unavailable`: its host did not answer, and it is tried again by the next sweep. `failed`: not before the entity
   * changes.
   */
  state: 'pending' | 'stored' | 'unavailable' | 'failed';
  /** The path of the copy, or of the note that says why there is none. */
  path: string | null;
  bytes: number | null;
  /** Why there is no copy, for people. */
  error: string | null;
}

/** The progress of a connection in one family of the provider. */
interface SyncCheckpointRow {
  connection_id: string;
  family: string;
  /** JSON; its shape belongs to the connector. */
  state: string;
}
