import { z } from 'zod';
import type { RecordKind } from '../../../mirror/format/record-kind.ts';
import type { EntityId } from '../../port.ts';
import type { TrackerConfiguration } from '../configuration.ts';
import type { Answer, EntityShape, Family } from './family.ts';
import type { Comment, Need } from './part-kinds.ts';

/** The parts of an entity that pages do not contain. */
export interface EntityDetails {
  readonly comments: readonly Comment[];
  /** The requests of a customer. */
  readonly needs: readonly Need[];
}

export const scopeFactsShape = z.object({
  /** Ids of the teams that it belongs to; empty for what belongs to the whole workspace. */
  teams: z.array(z.string()),
  /** Ids and slugs of the projects that it belongs to. */
  projects: z.array(z.string()),
  /** Ids and names. */
  labels: z.array(z.string()),
  /** The type of the state of an issue. */
  state: z.string().optional(),
  updatedAt: z.string(),
  archived: z.boolean(),
  trashed: z.boolean(),
});

/**
 * The values of an entity that a scope is evaluated by. They are stored with it, so that a narrower scope needs no
 * requests.
 */
export type ScopeFacts = z.output<typeof scopeFactsShape>;

/** The parts of a scope that limit a kind. */
interface KindScope {
  /** True if the projects of a scope limit it. */
  readonly inProjects?: boolean;
  /** True if a date limits it, which is so for work but not for what work refers to. */
  readonly isDated?: boolean;
  /** True if it stays after the provider has archived it. */
  readonly staysArchived?: boolean;
  /** True if it is mirrored in any scope if it belongs to no team. */
  readonly isOfNoTeam?: boolean;
  /** True if each one belongs to a team: its list is limited to teams also for a workspace, because some are private. */
  readonly isOfTeams?: boolean;
  /** Returns the part of a list's filter that leaves out other teams. */
  filter?(inTeams: object): Filter;
  /** Returns whether a scope limits it by something that no filter of a list expresses. */
  isLimited?(scope: TrackerConfiguration['scope']): boolean;
  /** True if it outlives its containers. Everything else goes away with them. */
  readonly outlives?: boolean;
}

/** A filter of a list, as the schema of the provider has it. */
export type Filter = Readonly<Record<string, unknown>>;

/**
 * A kind of entities that a connection mirrors, each with a file or an item of a list: everything that the tracker
 * knows of it. A new kind is one file, one line in `kinds.ts`, and one in the list of types for tests
 * (`test/support/mirror/records.ts`).
 */
export interface TrackerKind<
  Shape extends EntityShape = EntityShape,
  Fields extends z.ZodObject = z.ZodObject,
> extends Family<Shape> {
  readonly scope: KindScope;
  /** True if a sweep reads all of them: there are few, and they may change without another time. Default: false. */
  readonly isSweptWhole?: true;
  /** Returns the entities that decide about its scope if it has no team of its own. */
  containersOf?(entity: Answer<Shape>): readonly EntityId[];
  /** Returns the facts of its own. Default of each: none. */
  factsOf?(entity: Answer<Shape>): Partial<Pick<ScopeFacts, 'teams' | 'projects' | 'labels' | 'state'>>;
  /** Returns the filter for the comments on `id`, as the schema has it. Default: it has no comments. */
  comments?(id: object): Filter;
  /** Returns the filter for its requests, of which one must be in scope. Default: it is in scope without requests. */
  requests?(id: object): Filter;
  readonly record: RecordKind<Fields>;
  /** Returns the fields of its record, or of its item in a list. */
  render(entity: Answer<Shape>, details: EntityDetails): Rendered<Fields>;
  /** Returns what people call it. */
  titleOf(entity: Answer<Shape>): string;
  /** Returns the names under which addresses lead to it, the current one first. Default: none. */
  namesOf?(entity: Answer<Shape>): readonly string[];
  /** Returns the name in the path of an address, behind the workspace: `issue`, `ENG-12`, `title`. */
  nameIn?(path: readonly string[]): string | undefined;
  /** True if its webhooks name the entity that it is deleted with. */
  readonly namesParent?: true;
  /** Returns its parts besides comments. */
  partsOf?(entity: Answer<Shape>, details: EntityDetails): readonly EntityId[];
  /** Returns the items of lists that it names, besides people. */
  mentionsOf?(entity: Answer<Shape>): readonly string[];
}

/** An entity of any kind, with the fields that code for all kinds reads. */
export interface TrackerEntity extends Answer<EntityShape> {
  readonly url?: string;
  readonly archivedAt?: string | undefined;
  readonly trashed?: boolean | undefined;
}

type Rendered<Fields extends z.ZodObject> =
  z.input<Fields> extends { readonly items?: (infer Item)[] | undefined }
    ? Item
    : Omit<z.input<Fields>, 'type'>;

/** Types a kind by its shapes. */
export function trackerKind<Shape extends EntityShape, Fields extends z.ZodObject>(
  kind: TrackerKind<Shape, Fields>,
): TrackerKind<Shape, Fields> {
  return kind;
}

/** Returns the names of entities whose addresses end with a slug: `/acme/project/title-4f2a9c0d1e2b/overview`. */
export function namedBySlug(kind: string) {
  const nameOf = (slug: string) => `${kind} ${slug.toLowerCase()}`;
  const nameIn = ([word, key = '']: readonly string[]) =>
    word === kind && key !== '' ? nameOf(key.slice(key.lastIndexOf('-') + 1)) : undefined;
  return {
    nameIn,
    /** The name by the slug, and the one in the entity's own address if that is another one. */
    namesOf({ slugId, url }: { readonly slugId: string; readonly url: string }): readonly string[] {
      const own = nameIn(pathOf(url));
      return [...new Set([nameOf(slugId), ...(own === undefined ? [] : [own])])];
    },
  };
}

/** Returns the names in the path of an address, behind that of the workspace. */
export function pathOf(address: string): readonly string[] {
  return URL.parse(address)?.pathname.split('/').slice(2) ?? [];
}

/** Finds comments on a whole entity, which name it, and on a part of its text, which name the text. */
export function commentsOnText(kind: string): (id: object) => Filter {
  return (id) => ({ or: [{ [kind]: { id } }, { documentContent: { [kind]: { id } } }] });
}
