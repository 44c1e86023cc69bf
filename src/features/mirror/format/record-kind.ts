import type { z } from 'zod';
import type { EdgeKind, Properties } from '../../../backends/graph/port.ts';

/** A list of a record that stands below its front matter, such as its comments. */
export interface Section {
  /** Key of the list in the record, and word of the line before its heading. */
  readonly key: string;
  readonly heading: string;
  /** Word of the line before each entry, and of the evidence of what its text mentions. */
  readonly entry: string;
}

export const commentSection: Section = { key: 'comments', heading: 'Comments', entry: 'comment' };

/** The common fields of all entries of sections. */
export interface Entry {
  readonly id: string;
  readonly createdAt: string;
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly author?: { readonly name: string } | undefined;
  readonly body: string;
}

/** A record as its file contains it. Its kind knows its fields. */
export interface MirroredRecord {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * A kind of records: everything that the rest of the service needs to know of it. A connector owns the kinds of its
 * records, each one value in a file of its own.
 */
export interface RecordKind<Shape extends z.ZodObject = z.ZodObject> {
  /** The `type` of its records: `issue`. Unique among all connectors. */
  readonly type: string;
  /**
   * The fields of a record. It normalizes: the same record in another order or form gives the same output. The order of
   * the keys is that of the file; `body` and the lists of sections stand below the front matter. A kind whose only
   * field besides `type` is `items` has one file with all of its items.
   */
  readonly shape: Shape;
  /** Path of its files from the root of the context repository. Each `*` stands for one name. */
  readonly files: string;
  /** Returns what stands for each `*`, as `safeName` prints it. A title is never part of a path. */
  names?(record: z.output<Shape>): readonly string[];
  /** Its lists of entries, in the order of the file. Default: none. */
  readonly sections?: readonly Section[];
  /** True if a list contains only the items that other records of the connection name. Default: false. */
  readonly mentionedOnly?: boolean;
  /** The entities that it describes, as the graph and `ctx://` addresses name them: `issue`. Default: none. */
  readonly entity?: string;
  /** True if its texts may contain stack traces, whose files are linked. Default: false. */
  readonly traces?: boolean;
  /** The fields that hold a person or a list of them, with the edge to each. */
  readonly people?: { readonly [Field in keyof Subject<Shape> & string]?: EdgeKind };
  /**
   * The fields that hold ids of other entities, with the edge and the kind of its end. Without a kind, the field holds
   * one of the names by which texts mention the other entity.
   */
  readonly links?: {
    readonly [Field in keyof Subject<Shape> & string]?: readonly [edge: EdgeKind, kind?: string];
  };
  /**
   * Returns what a record says of an entity, for a list of each item. Of several entities, the record is about the
   * first one and only names the others. Default: it says nothing, and `people` and `links` do not count.
   */
  describe?(subject: Subject<Shape>): Description | readonly Description[];
}

/** What a record is about: of a list each item. */
export type Subject<Shape extends z.ZodObject = z.ZodObject> =
  z.output<Shape> extends { readonly items: readonly (infer Item)[] } ? Item : z.output<Shape>;

/** The statements of a record about one entity. */
export interface Description {
  /** Default: the entity of the record's kind. */
  readonly kind?: string;
  /** Id within the connection. */
  readonly id: string;
  /** `undefined` if another record describes the entity itself. */
  readonly title: string | undefined;
  /** The one of its names that stands in its address, of the form `ENG-12`. Default: the id does. */
  readonly identifier?: string;
  /** Names by which texts mention it, in capital letters. */
  readonly names?: readonly string[];
  /** The id by which catalog files of repositories name it (`<provider>/service-id`). */
  readonly catalogId?: string;
  readonly state?: { readonly open: boolean; readonly name: string | undefined };
  /** Further facts to store with it. `url`, `createdAt` and the path of the record are stored in any case. */
  readonly properties?: Properties;
  /** Links by name that are not simply the value of a field. */
  readonly mentions?: readonly { readonly edge: EdgeKind; readonly field: string; readonly name: string }[];
}

export interface ConnectorRecords {
  /** Top folder of its files in a context repository. `ctx://` addresses begin with it. */
  readonly root: string;
  /** Title and description of its entities, for MCP clients. */
  readonly title: string;
  readonly description: string;
  readonly kinds: readonly RecordKind[];
}

/** Types a kind by its shape. */
export function recordKind<Shape extends z.ZodObject>(kind: RecordKind<Shape>): RecordKind<Shape> {
  return kind;
}

/** Returns the kind of a record. @throws TypeError for a record of another connector */
export function kindOf(kinds: readonly RecordKind[], type: string): RecordKind {
  const kind = kinds.find((each) => each.type === type);
  if (kind === undefined) throw new TypeError(`no kind of records: ${type}`);
  return kind;
}

/** Returns the kinds of entities that records describe, in the order of their kinds. */
export function entityKinds(kinds: readonly RecordKind[]): readonly string[] {
  return [...new Set(kinds.flatMap(({ entity }) => entity ?? []))];
}

/** Returns the kind of the files at a path; `undefined` for configuration, assets and files of people. */
export function kindAt(kinds: readonly RecordKind[], path: string): RecordKind | undefined {
  const names = path.split('/');
  return kinds.find(({ files }) => matches(files.split('/'), names));
}

/** A `*` stands for a whole name, or for all of a name before its extension. */
function matches(pattern: readonly string[], names: readonly string[]): boolean {
  if (pattern.length !== names.length) return false;
  return pattern.every((part, index) => {
    const name = names[index] ?? '';
    const [start = '', end] = part.split('*');
    return end === undefined
      ? name === part
      : name.length > part.length - 1 && name.endsWith(end) && name.startsWith(start);
  });
}

/** Returns the path of a record, from the root of the context repository. */
export function recordPath(kind: RecordKind, record: MirroredRecord): string {
  const names = [...(kind.names?.(record) ?? [])];
  return kind.files.replaceAll('*', () => names.shift() ?? '');
}
