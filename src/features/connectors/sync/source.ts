import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import type { EntityStore, StoredEntity } from '../entities/entity-store.ts';
import type { ScopedEntity } from '../entities/forget-entities.ts';
import type { ConnectionError, EntityChange, EntityId, SyncedConnection } from '../port.ts';
import type { EntityChanges, JobMirror } from './change-mirror.ts';
import type { Refusals } from './refusals.ts';

/**
 * The extent of a comparison. `full` reads every entity whole, and `sweep` those that differ from the mirror; both look
 * for those that are gone. `added` reads what a wider scope added, and `changes` what changed since it was read last.
 */
export type SyncMode = 'full' | 'sweep' | 'added' | 'changes';

/** Time after which a job leaves the rest to another one, in milliseconds. */
const sliceMs = 1_000;

/** Returns a function that tells whether a job that begins now should end, so that others of its connection run. */
export function openSlice(): () => boolean {
  const until = performance.now() + sliceMs;
  return () => performance.now() > until;
}

/** A job of a connection that begins. */
export interface SyncJob {
  readonly connection: SyncedConnection;
  readonly mirror: JobMirror;
  /** The families that the provider did not give out when they were last asked for. */
  readonly refused: ReadonlySet<string>;
  /** True for a comparison, which leaves a part of the limits of the provider to edits. */
  readonly isComparison: boolean;
}

/** One list of the provider. */
export interface Family {
  readonly name: string;
  /** The kind of its entities. Absent if it lists none: then nothing is looked for that it lacks. */
  readonly kind?: string;
  /** True if its entities are parts of the files of others. */
  readonly isPart?: boolean | undefined;
  /** The families without which its entities cannot be rendered. */
  readonly dependsOn?: readonly string[] | undefined;
  readPage(request: PageRequest): Promise<FamilyPage>;
}

export interface PageRequest {
  readonly mode: SyncMode;
  /** `next` of the page before; `undefined` for the first one. */
  readonly cursor: unknown;
  /** `readUpTo` of the last time that the family was read to its end. */
  readonly readUpTo: string | undefined;
  /** `added` of the widening, if the comparison reads that. */
  readonly added: unknown;
}

export interface FamilyPage {
  readonly changes?: EntityChanges;
  /** The place of the next page, as JSON. Absent at the end of the list. */
  readonly next?: unknown;
  /** True if the page `next` is being read: the same job goes on with it. */
  readonly isNextRead?: boolean | undefined;
  /** The place from which its next changes are read. Set at the end of the list. */
  readonly readUpTo?: string | undefined;
  /** Entities of the page to fetch by their ids, because they differ from the mirror. */
  readonly changed?: readonly string[];
  /** True if the list is not read to its end, so that nothing is looked for that it lacks. */
  readonly isPartial?: boolean;
  /** Further effects, in the transaction of the page. */
  apply?(store: EntityStore): Promise<void>;
}

/** The additions of a configuration to a former one. */
export interface Widening {
  readonly families: readonly string[];
  /** The limits of the pages of the families, as JSON. */
  readonly added?: unknown;
}

/** The provider of one connection, as one job reads it. */
export interface SyncReader {
  readonly mirror: JobMirror;
  readonly configuration: object;
  readonly families: readonly Family[];
  readonly refusals: Refusals;
  /** Maximum number of entities that are fetched at a time. */
  readonly fetchSize: number;
  /** Returns the families of a comparison in their order. `readUpTo` by family. */
  familiesOf(mode: 'full' | 'changes', readUpTo: Readonly<Record<string, string>>): readonly string[];
  /** Returns the family that cannot wait any longer. Default: none. */
  overdue?(readUpTo: Readonly<Record<string, string>>): string | undefined;
  /** Returns a request for a refused family that no page lists; `undefined` if there is none. */
  ask(family: string): (() => Promise<unknown>) | undefined;
  /** Returns the ids of what the scope names, as far as the account sees it. */
  places(): Promise<readonly string[]>;
  /** Returns a function that tells whether a mirrored entity is in the scope of now. */
  scopeTest(): Promise<(entity: ScopedEntity) => boolean>;
  /** Returns what the configuration adds to a former one; `rendering` if the files have another content. */
  widenedBy(former: object): Widening | 'rendering';
  /**
   * Takes over the name and address of the account before all entities are compared. Returns whether the links of all
   * files changed. Absent if they never do.
   */
  followAccount?(): Promise<boolean>;
  /** Returns the entities whose files an edit concerns. `stored`: the mirrored state of what was edited. */
  targetsOf(edit: EntityChange, stored: StoredEntity | undefined): Promise<readonly EntityId[]>;
  /** Fetches entities of one kind: all of them, at most `fetchSize` in a comparison. */
  fetch(kind: string, ids: readonly string[]): Promise<EntityChanges>;
  /** Called at the start and at the end of a comparison, in its transaction. */
  started?(store: EntityStore): Promise<void>;
  ended?(store: EntityStore): Promise<void>;
  /** Returns what a person must correct in the scope. Absent if a job that succeeds does not tell. */
  scopeError?(): ConnectionError | undefined;
}

/** Returns the error of a connection whose scope names what the account does not show. `why` is part of a sentence. */
export function scopeUnknown({ root }: ConnectorRecords, why: string): ConnectionError {
  const message = `A part of the scope is not mirrored: ${why}. Correct ${root}/config.yaml, or give the authorized user access.`;
  return { code: 'scope_unknown', message };
}
