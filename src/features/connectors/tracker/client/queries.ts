import { z } from 'zod';
import { kinds as mirrored } from '../kinds/kinds.ts';
import { partFamilies } from '../kinds/part-kinds.ts';
import type { Answer, Family } from '../kinds/tracker-kind.ts';
import { maybe, pageInfo, selectionOf, shapeOfList } from './selection.ts';

/** The families by the kind of their entities, as webhooks and jobs name it. */
export const families = { ...mirrored, ...partFamilies };

export type Kind = keyof typeof families;

export const kinds = Object.keys(families) as readonly Kind[];

/** Returns a family without its own types, for code that serves all of them. */
export function familyOf(kind: Kind): Family {
  return families[kind];
}

/** Returns the provider's names of a kind, such as `issueLabel` and `IssueLabel`: of the field, and of the type. */
export function namesOf(kind: Kind): { readonly field: string; readonly type: string } {
  const type = kind.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { field: type.charAt(0).toLowerCase() + type.slice(1), type };
}

/** An entity with the whole of its lists. Its comments are entities of their own: their number is not limited. */
export type Entity<K extends Kind> = Answer<(typeof families)[K]['shape']>;

/** A query with the shape of its data. */
export interface Query<Shape extends z.ZodType = z.ZodType> {
  readonly text: string;
  readonly data: Shape;
}

/** Entities per page. A page of the largest family stays below half of what the provider allows one query to cost. */
export const pageSize = 50;
/** Entities per page of a list of ids and times: the largest page of the provider. */
export const timesPageSize = 250;

const pageFields = 'pageInfo { hasNextPage endCursor }';

/** Returns the query for a page of a family. Its data is `{ page: { nodes, pageInfo } }`. */
export const listQuery = memoized((kind) => queryOfList('List', kind, familyOf(kind).shape));

const timesShape = z.object({ id: z.string(), updatedAt: z.string() });

/** Returns the query for a page of the ids of a family and the times of their last changes. */
export function timesQuery(kind: Kind): Query<ReturnType<typeof pageOf<typeof timesShape>>> {
  return queryOfList('Times', kind, timesShape);
}

function pageOf<Shape extends z.ZodObject>(shape: Shape) {
  return z.object({ page: z.object({ nodes: z.array(shape), pageInfo }) });
}

function queryOfList<Shape extends z.ZodObject>(name: string, kind: Kind, shape: Shape) {
  const { arguments: further } = familyOf(kind);
  const { field, type } = namesOf(kind);
  const given =
    'first: $first, after: $after, filter: $filter, includeArchived: $includeArchived, orderBy: updatedAt';
  const declared = `$first: Int!, $after: String, $filter: ${type}Filter, $includeArchived: Boolean!`;
  const call = `page: ${field}s(${given}${further === undefined ? '' : `, ${further}`})`;
  return {
    text: `query ${name}(${declared}) { ${call} { nodes { ${selectionOf(shape)} } ${pageFields} } }`,
    data: pageOf(shape),
  };
}

/** Returns the query for one entity. Its data is `{ entity }`. */
export const findQuery = memoized((kind) => {
  const { shape } = familyOf(kind);
  return {
    text: `query Find($id: String!) { entity: ${namesOf(kind).field}(id: $id) { ${selectionOf(shape)} } }`,
    data: z.object({ entity: shape }),
  };
});

/**
 * Returns the query for further items of a list of one entity. Its data is `{ entity: { list: { nodes, pageInfo } } }`.
 */
export function continueQuery(kind: Kind, list: string): Query {
  const shape = shapeOfList(familyOf(kind).shape, list);
  const call = `list: ${list}(first: ${pageSize}, after: $after) { ${selectionOf(shape)} }`;
  return {
    text: `query Continue($id: String!, $after: String) { entity: ${namesOf(kind).field}(id: $id) { ${call} } }`,
    data: z.object({ entity: z.object({ list: shape }) }),
  };
}

const viewerShape = z.object({
  viewer: z.object({
    id: z.string(),
    name: z.string(),
    organization: z.object({ id: z.string(), name: z.string(), urlKey: z.string() }),
  }),
});

/** Reads the user and the workspace of the credentials. */
export const viewerQuery: Query<typeof viewerShape> = {
  text: `query Viewer { ${selectionOf(viewerShape)} }`,
  data: viewerShape,
};

const option = { id: z.string(), name: z.string(), description: maybe(z.string()) };

/** The kinds that a scope can name, in the order in which setup offers them. */
export const scopeKinds = ['team', 'project', 'label'] as const;
export type ScopeKind = (typeof scopeKinds)[number];

const scopeShapes = {
  team: { list: 'teams', filter: 'TeamFilter', shape: z.object({ ...option, key: z.string() }) },
  project: { list: 'projects', filter: 'ProjectFilter', shape: z.object({ ...option, slugId: z.string() }) },
  label: { list: 'issueLabels', filter: 'IssueLabelFilter', shape: z.object(option) },
} as const satisfies Readonly<Record<ScopeKind, object>>;

const scopeOption = z.object({
  ...option,
  key: z.string().optional(),
  slugId: z.string().optional(),
});

const scopeData = pageOf(scopeOption);

/** Returns the query for a page of the entities that a scope can name. */
export function scopeQuery(kind: ScopeKind): Query<typeof scopeData> {
  const { list, filter, shape } = scopeShapes[kind];
  const call = `page: ${list}(first: $first, after: $after, filter: $filter)`;
  return {
    text: `query Options($first: Int!, $after: String, $filter: ${filter}) { ${call} { nodes { ${selectionOf(shape)} } ${pageFields} } }`,
    data: scopeData,
  };
}

function memoized(create: (kind: Kind) => Query): (kind: Kind) => Query {
  const known = new Map<Kind, Query>();
  return (kind) => {
    const query = known.get(kind) ?? create(kind);
    known.set(kind, query);
    return query;
  };
}
