import type { z } from 'zod';
import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
import { orGone } from '../../sync/provider-error.ts';
import type { Answer, EntityShape, Family } from '../kinds/family.ts';
import {
  continueQuery,
  findQuery,
  listQuery,
  pageSize,
  type Query,
  type ScopeKind,
  scopeQuery,
  timesPageSize,
  timesQuery,
  viewerQuery,
} from './queries.ts';
import { listsIn, type pageInfo } from './selection.ts';
import {
  type ApiDeps,
  errorFor,
  failed,
  type GraphqlError,
  sendQuery,
  unavailable,
  type Variables,
} from './send-query.ts';

/** Reads what one account sees at the tracker. */
export type TrackerClient = ReturnType<typeof openTrackerClient>;

export type Viewer = z.output<(typeof viewerQuery)['data']>['viewer'];

export interface ListRequest {
  /** Filter of the family, as the schema has it. */
  readonly filter?: Variables | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

interface EntityPage<Item> extends Page<Item> {
  /** Entities that the provider returned in part. They must not be rendered: fetch each one again. */
  readonly incomplete: readonly string[];
}

/** `onFailure` is told the family of each request that fails. */
export function openTrackerClient(deps: ApiDeps & { onFailure?(family: string, error: unknown): void }) {
  const of = async <T>({ name }: Family, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      deps.onFailure?.(name, error);
      throw error;
    }
  };
  return {
    /** Returns of which workspace the tokens are. */
    viewer: async (): Promise<Viewer> => parseAll(viewerQuery, await ask(deps, viewerQuery, {})).viewer,

    /**
     * Returns a page of a family, the latest update first, with archived entities.
     * @throws ProviderError `cursor_refused` if the list must be read from its start
     */
    list: <Shape extends EntityShape>(family: Family<Shape>, request: ListRequest) =>
      of(family, listPage(deps, family, request) as Promise<EntityPage<EntityOf<Shape>>>),

    /**
     * Returns a page of the ids and times of a family, the latest update first: 250 in a query that costs a thirtieth
     * of one for whole entities. @throws ProviderError `cursor_refused` if the list must be read from its start
     */
    times: (family: Family, request: ListRequest & { readonly includeArchived: boolean }) => {
      const { filter, cursor, includeArchived } = request;
      const variables = { filter, after: cursor, includeArchived, first: timesPageSize };
      return of(family, pageOf(deps, timesQuery(family), variables));
    },

    /** Returns one entity; `undefined` if the account does not see it. */
    find: <Shape extends EntityShape>(family: Family<Shape>, id: string) =>
      of(family, findOne(deps, family, id) as Promise<EntityOf<Shape> | undefined>),

    /** Returns all entities of a list. One that was updated meanwhile is in it once. */
    listAll: <Shape extends EntityShape>(family: Family<Shape>, filter: Variables) =>
      of(family, readAll(deps, family, filter) as Promise<readonly EntityOf<Shape>[]>),

    /** Returns those of the entities that the account sees, 50 in a query. */
    findMany: <Shape extends EntityShape>(family: Family<Shape>, ids: readonly string[]) =>
      of(family, findAll(deps, family, ids) as Promise<readonly EntityOf<Shape>[]>),

    /** Returns a page of what a scope can name. */
    scopeOptions: (kind: ScopeKind, { filter, cursor, limit }: ListRequest & { readonly limit: number }) =>
      pageOf(deps, scopeQuery(kind), { filter, after: cursor, first: limit }),
  };
}

type PageInfo = z.output<typeof pageInfo>;

interface ParsedList {
  readonly nodes: readonly unknown[];
  readonly pageInfo: PageInfo;
}

/** An entity of a family that the types do not know. */
type AnyEntity = Answer<EntityShape>;
/** The same with the fields of its family. */
type EntityOf<Shape extends EntityShape> = AnyEntity & Answer<Shape>;

/** Sends a query that has no use for a part of its data. @throws the first error, even if there is data */
async function ask(deps: ApiDeps, query: Query, variables: Variables): Promise<Variables> {
  const { data, errors } = await sendQuery(deps, query, variables);
  const [first] = errors;
  if (first === undefined) return data;
  const error = errorFor(first, variables['after'] !== undefined);
  // Only an error of the whole entity says that it is gone. With a part missing, the entity must not be rendered.
  throw Object.values(data).includes(null) ? error : missingPart(error);
}

async function pageOf<Item>(
  deps: ApiDeps,
  query: Query<z.ZodType<{ page: { nodes: Item[]; pageInfo: PageInfo } }>>,
  variables: Variables,
): Promise<Page<Item>> {
  const { nodes, pageInfo } = parseAll(query, await ask(deps, query, variables)).page;
  return { items: nodes, nextCursor: cursorOf(pageInfo, variables['after']) };
}

async function findOne(deps: ApiDeps, family: Family, id: string): Promise<AnyEntity | undefined> {
  const query = findQuery(family);
  const data = await ask(deps, query, { id }).catch(orGone);
  if (data === undefined) return undefined;
  return complete(deps, family, parseAll(query, data).entity).catch(orGone);
}

/** One that is missing in the list is asked for once more alone. */
async function findAll(deps: ApiDeps, family: Family, ids: readonly string[]): Promise<readonly AnyEntity[]> {
  const wanted = [...new Set(ids)];
  const found: AnyEntity[] = [];
  for (let at = 0; at < wanted.length; at += pageSize) {
    found.push(...(await readAll(deps, family, { id: { in: wanted.slice(at, at + pageSize) } })));
  }
  const listed = new Set(found.map(({ id }) => id));
  for (const id of wanted.filter((one) => !listed.has(one))) {
    const entity = await findOne(deps, family, id);
    if (entity !== undefined) found.push(entity);
  }
  return found;
}

async function listPage(
  deps: ApiDeps,
  family: Family,
  { filter, cursor }: ListRequest,
): Promise<EntityPage<AnyEntity>> {
  const { data, errors } = await sendList(deps, family, { filter, after: cursor, includeArchived: true });
  const { nodes, pageInfo, incomplete } = parsePage(family, data, errors);
  const items: AnyEntity[] = [];
  for (const node of nodes) {
    const item = await complete(deps, family, node).catch(orGone);
    // It went away meanwhile: the caller fetches it alone and finds nothing.
    if (item === undefined) incomplete.push(node.id);
    else items.push(item);
  }
  return { items, incomplete, nextCursor: cursorOf(pageInfo, cursor) };
}

/** Reads all pages of a list. @throws Unavailable if the provider returns an entity in part, also alone */
async function readAll(deps: ApiDeps, family: Family, filter: Variables): Promise<readonly AnyEntity[]> {
  const items = new Map<string, AnyEntity>();
  let cursor: string | undefined;
  do {
    const page = await listPage(deps, family, { filter, cursor });
    for (const item of page.items) items.set(item.id, item);
    for (const id of page.incomplete) {
      const item = await findOne(deps, family, id);
      if (item !== undefined) items.set(id, item);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return [...items.values()];
}

/** Sends the query of a page. If its entities are so long that the response is too large, asks for fewer. */
async function sendList(deps: ApiDeps, family: Family, variables: Variables) {
  for (let first = pageSize; ; first = Math.ceil(first / 5)) {
    try {
      return await sendQuery(deps, listQuery(family), { ...variables, first });
    } catch (error) {
      if (!(error instanceof OutboundError) || error.reason !== 'too_large' || first === 1) throw error;
    }
  }
}

/** Parses a page and sets apart the entities that an error concerns. */
function parsePage(family: Family, data: Variables, errors: readonly GraphqlError[]) {
  const affected = new Set<number>();
  for (const error of errors) {
    const [page, nodes, index] = error.path ?? [];
    if (page !== 'page' || nodes !== 'nodes' || typeof index !== 'number') throw errorFor(error, false);
    affected.add(index);
  }
  const { page } = data as { page?: { nodes?: unknown } };
  const all = Array.isArray(page?.nodes) ? (page.nodes as unknown[]) : [];
  const whole = all.filter((_, index) => !affected.has(index));
  const parsed = parseAll(listQuery(family), { page: { ...page, nodes: whole } });
  const incomplete = [...affected].map((index) => {
    const { id } = (all[index] ?? {}) as { id?: unknown };
    if (typeof id !== 'string') throw missingPart(undefined);
    return id;
  });
  return { ...parsed.page, incomplete };
}

/** Fetches the rest of each list of an entity, and returns the entity with plain arrays. */
async function complete(deps: ApiDeps, family: Family, entity: AnyEntity): Promise<AnyEntity> {
  const lists: Record<string, unknown> = {};
  for (const [name, shape] of listsIn(family.shape)) {
    const { nodes, pageInfo } = (entity as Variables)[name] as ParsedList;
    const items = [...nodes];
    let after = cursorOf(pageInfo);
    while (after !== undefined) {
      const query = continueQuery(family, name, shape);
      const data = await ask(deps, query, { id: entity.id, after });
      const { list } = (parseAll(query, data) as { entity: { list: ParsedList } }).entity;
      items.push(...list.nodes);
      after = cursorOf(list.pageInfo, after);
    }
    lists[name] = items;
  }
  return { ...entity, ...lists };
}

/** Returns the cursor of the next page. @throws ProviderError if it is the one that the page was asked for with */
function cursorOf({ hasNextPage, endCursor }: PageInfo, asked?: unknown): string | undefined {
  if (!hasNextPage) return undefined;
  if (endCursor === undefined || endCursor !== asked) return endCursor;
  throw failed('protocol', 'The tracker answered a page with the cursor that the page was asked for with.');
}

function parseAll<T extends z.ZodType>(query: Query<T>, data: unknown): z.output<T> {
  const parsed = query.data.safeParse(data);
  if (parsed.success) return parsed.data;
  throw failed(
    'protocol',
    'The tracker answered a query with other fields than were asked for. Check TRACKER_API_URL, or update the service.',
    parsed.error,
  );
}

function missingPart(cause: unknown) {
  return unavailable('it returned only a part of what was asked for', cause);
}
