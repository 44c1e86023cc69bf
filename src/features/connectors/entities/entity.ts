import { z } from 'zod';
import type { MirroredRecord } from '../../mirror/format/record-kind.ts';
import type { NewChange } from '../../mirror/mirror-change.ts';
import type { EntityId } from '../port.ts';

/** The current state of an entity, rendered without a look at the database. */
export interface RenderedEntity extends EntityId {
  /** The entity that it is deleted with: the project of an update. */
  readonly parent?: EntityId | undefined;
  /** The provider's time of the last change. */
  readonly updatedAt: string;
  /** The source of its file, for the commit's trailer: `issue ENG-12`. */
  readonly origin: string;
  readonly content: EntityContent;
  readonly links: EntityLinks;
  /** The addresses of files that its texts embed or that were uploaded to it. */
  readonly assets: readonly string[];
  /** Entities that are part of its file, such as its comments. Their ids lead to it after they were deleted. */
  readonly parts: readonly (EntityId & { readonly updatedAt?: string })[];
  /** The values that a scope is evaluated by, for `applyScope`. */
  readonly facts?: Facts | undefined;
}

export type Facts = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A file of its own, or one item of a file that lists all entities of a kind. */
export type EntityContent =
  | { readonly record: MirroredRecord }
  /** `list`: the type of the record with the items. */
  | { readonly list: string; readonly item: { readonly id: string } };

/** The names by which texts refer to an entity, and the targets of its own texts. */
export const entityLinks = z.object({
  /** The text of a link to it that has none: `ENG-12`. */
  label: z.string(),
  /** Its names, such as `issue ENG-12`, the current one first. */
  names: z.array(z.string()).readonly(),
  /** The addresses in its texts that name an entity of the same provider. */
  references: z.array(z.object({ url: z.string(), name: z.string() })).readonly(),
  /** The items of lists that its record names, such as `users 5d0e`: some lists contain no others. */
  mentions: z.array(z.string()).readonly().optional(),
});
export type EntityLinks = z.output<typeof entityLinks>;
export type Reference = EntityLinks['references'][number];

/** A file of the connection to write, or to delete. */
export type FileChange = Pick<NewChange, 'path' | 'content' | 'origin'>;
