import { z } from 'zod';
import { type EntityShape, type Family, namesOf } from '../kinds/family.ts';
import { maybe, pageInfo, selectionOf } from './selection.ts';

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
export const listQuery = memoized((family) => queryOfList('List', family, family.shape));

/** Returns the query for a page of the ids of a family and the times of their last changes. */
export const timesQuery = memoized((family) => queryOfList('Times', family, timesShape));

const timesShape: EntityShape = z.object({ id: z.string(), updatedAt: z.string() });

function pageOf<Shape extends z.ZodObject>(shape: Shape) {
  return z.object({ page: z.object({ nodes: z.array(shape), pageInfo }) });
}

function queryOfList(query: string, { name, arguments: further }: Family, shape: EntityShape) {
  const { field, type } = namesOf(name);
  const given =
    'first: $first, after: $after, filter: $filter, includeArchived: $includeArchived, orderBy: updatedAt';
  const declared = `$first: Int!, $after: String, $filter: ${type}Filter, $includeArchived: Boolean!`;
  const call = `page: ${field}s(${given}${further === undefined ? '' : `, ${further}`})`;
  return {
    text: `query ${query}(${declared}) { ${call} { nodes { ${selectionOf(shape)} } ${pageFields} } }`,
    data: pageOf(shape),
  };
}

/** Returns the query for one entity. Its data is `{ entity }`. */
export const findQuery = memoized(({ name, shape }) => ({
  text: `query Find($id: String!) { entity: ${namesOf(name).field}(id: $id) { ${selectionOf(shape)} } }`,
  data: z.object({ entity: shape }),
}));

/**
 * Returns the query for further items of a list of one entity. Its data is `{ entity: { list: { nodes, pageInfo } } }`.
 */
export function continueQuery({ name }: Family, list: string, shape: z.ZodObject): Query {
  const call = `list: ${list}(first: ${pageSize}, after: $after) { ${selectionOf(shape)} }`;
  return {
    text: `query Continue($id: String!, $after: String) { entity: ${namesOf(name).field}(id: $id) { ${call} } }`,
    data: z.object({ entity: z.object({ list: shape }) }),
  };
}

const viewerShape = z.object({
  viewer: z.object({ organization: z.object({ id: z.string(), name: z.string(), urlKey: z.string() }) }),
});

/** Reads the workspace of the credentials. */
export const viewerQuery: Query<typeof viewerShape> = {
  text: `query Viewer { ${selectionOf(viewerShape)} }`,
  data: viewerShape,
};

const scopeOption = z.object({
  id: z.string(),
  name: z.string(),
  description: maybe(z.string()),
  key: z.string().optional(),
  slugId: z.string().optional(),
});

/** The families that a scope can name, in the order in which setup offers them, with what is asked for of each. */
const scopeFamilies = {
  team: { family: 'team', shape: scopeOption.omit({ slugId: true }) },
  project: { family: 'project', shape: scopeOption.omit({ key: true }) },
  label: { family: 'issue-label', shape: scopeOption.omit({ key: true, slugId: true }) },
} as const;

export type ScopeKind = keyof typeof scopeFamilies;
export const scopeKinds = Object.keys(scopeFamilies) as readonly ScopeKind[];

const scopeData = pageOf(scopeOption);

/** Returns the query for a page of the entities that a scope can name. */
export function scopeQuery(kind: ScopeKind): Query<typeof scopeData> {
  const { family, shape } = scopeFamilies[kind];
  const { field, type } = namesOf(family);
  const call = `page: ${field}s(first: $first, after: $after, filter: $filter)`;
  return {
    text: `query Options($first: Int!, $after: String, $filter: ${type}Filter) { ${call} { nodes { ${selectionOf(shape)} } ${pageFields} } }`,
    data: scopeData,
  };
}

function memoized<T>(create: (family: Family) => T): (family: Family) => T {
  const known = new Map<Family, T>();
  return (family) => {
    const query = known.get(family) ?? create(family);
    known.set(family, query);
    return query;
  };
}
