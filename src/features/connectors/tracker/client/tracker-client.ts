import type { z } from 'zod';
import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
import { orGone } from '../../sync/provider-error.ts';
import {
  continueQuery,
  type Entity,
  familyOf,
  findQuery,
  type Kind,
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

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/** Entities of a family. */
interface Found<K extends Kind> {
  readonly items: readonly Entity<K>[];
  /** Entities that the provider returned in part. They must not be rendered: fetch each one again. */
  readonly incomplete: readonly string[];
}

/** `onFailure` is told the family of each request that fails. */
export function openTrackerClient(deps: ApiDeps & { onFailure?(kind: Kind, error: unknown): void }) {
  const of = async <T>(kind: Kind, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      deps.onFailure?.(kind, error);
      throw error;
    }
  };
  return {
    /** Returns whose tokens these are, and of which workspace. */
    viewer: async (): Promise<Viewer> => parseAll(viewerQuery, await ask(deps, viewerQuery, {})).viewer,

    /**
     * Returns a page of a family, the latest update first, with archived entities.
     * @throws ProviderError `cursor_refused` if the list must be read from its start
     */
    list: <K extends Kind>(kind: K, request: ListRequest) => of(kind, listPage(deps, kind, request)),

    /**
     * Returns a page of the ids and times of a family, the latest update first: 250 in a query that costs a thirtieth
     * of one for whole entities. @throws ProviderError `cursor_refused` if the list must be read from its start
     */
    times: (kind: Kind, request: ListRequest & { readonly includeArchived: boolean }) => {
      const { filter, cursor, includeArchived } = request;
      const variables = { filter, after: cursor, includeArchived, first: timesPageSize };
      return of(kind, pageOf(deps, timesQuery(kind), variables));
    },

    /** Returns one entity; `undefined` if the account does not see it. */
    find: <K extends Kind>(kind: K, id: string) => of(kind, findOne(deps, kind, id)),

    /** Returns all entities of a list. One that was updated meanwhile is in it once. */
    listAll: <K extends Kind>(kind: K, filter: Variables) => of(kind, readAll(deps, kind, filter)),

    /** Returns those of the entities that the account sees, 50 in a query. */
    findMany: <K extends Kind>(kind: K, ids: readonly string[]) => of(kind, findAll(deps, kind, ids)),

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

type ParsedEntity = { readonly id: string } & Variables;

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

async function findOne<K extends Kind>(deps: ApiDeps, kind: K, id: string): Promise<Entity<K> | undefined> {
  const query = findQuery(kind);
  const data = await ask(deps, query, { id }).catch(orGone);
  if (data === undefined) return undefined;
  const { entity } = parseAll(query, data) as { entity: ParsedEntity };
  return (complete(deps, kind, entity) as Promise<ParsedEntity & Entity<K>>).catch(orGone);
}

async function findAll<K extends Kind>(deps: ApiDeps, kind: K, ids: readonly string[]): Promise<Found<K>> {
  const items: Entity<K>[] = [];
  const incomplete: string[] = [];
  for (let at = 0; at < ids.length; at += pageSize) {
    const page = await readAll(deps, kind, { id: { in: ids.slice(at, at + pageSize) } });
    items.push(...page.items);
    incomplete.push(...page.incomplete);
  }
  return { items, incomplete };
}

async function listPage<K extends Kind>(
  deps: ApiDeps,
  kind: K,
  { filter, cursor }: ListRequest,
): Promise<Found<K> & Page<Entity<K>>> {
  const { data, errors } = await sendList(deps, kind, { filter, after: cursor, includeArchived: true });
  const { nodes, pageInfo, incomplete } = parsePage(kind, data, errors);
  const items: Entity<K>[] = [];
  for (const node of nodes) {
    const item = await complete(deps, kind, node).catch(orGone);
    // It went away meanwhile: the caller fetches it alone and finds nothing.
    if (item === undefined) incomplete.push(node.id);
    else items.push(item as Entity<K>);
  }
  return { items, incomplete, nextCursor: cursorOf(pageInfo, cursor) };
}

/** Reads all pages of a list. */
async function readAll<K extends Kind>(deps: ApiDeps, kind: K, filter: Variables): Promise<Found<K>> {
  const items = new Map<unknown, Entity<K>>();
  const incomplete: string[] = [];
  let cursor: string | undefined;
  do {
    const page: Found<K> & Page<Entity<K>> = await listPage(deps, kind, { filter, cursor });
    for (const item of page.items) items.set(item.id, item);
    incomplete.push(...page.incomplete);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { items: [...items.values()], incomplete };
}

/** Sends the query of a page. If its entities are so long that the response is too large, asks for fewer. */
async function sendList(deps: ApiDeps, kind: Kind, variables: Variables) {
  for (let first = pageSize; ; first = Math.ceil(first / 5)) {
    try {
      return await sendQuery(deps, listQuery(kind), { ...variables, first });
    } catch (error) {
      if (!(error instanceof OutboundError) || error.reason !== 'too_large' || first === 1) throw error;
    }
  }
}

/** Parses a page and sets apart the entities that an error concerns. */
function parsePage(kind: Kind, data: Variables, errors: readonly GraphqlError[]) {
  const affected = new Set<number>();
  for (const error of errors) {
    const [page, nodes, index] = error.path ?? [];
    if (page !== 'page' || nodes !== 'nodes' || typeof index !== 'number') throw errorFor(error, false);
    affected.add(index);
  }
  const { page } = data as { page?: { nodes?: unknown } };
  const all = Array.isArray(page?.nodes) ? (page.nodes as unknown[]) : [];
  const whole = all.filter((_, index) => !affected.has(index));
  const parsed = parseAll(listQuery(kind), { page: { ...page, nodes: whole } }) as { page: ParsedList };
  const incomplete = [...affected].map((index) => {
    const { id } = (all[index] ?? {}) as { id?: unknown };
    if (typeof id !== 'string') throw missingPart(undefined);
    return id;
  });
  const { nodes, pageInfo } = parsed.page;
  return { nodes: nodes as readonly ParsedEntity[], pageInfo, incomplete };
}

/** Fetches the rest of each list of an entity, and returns the entity with plain arrays. */
async function complete(deps: ApiDeps, kind: Kind, entity: ParsedEntity): Promise<ParsedEntity> {
  const lists: Record<string, unknown> = {};
  for (const name of listsIn(familyOf(kind).shape)) {
    const { nodes, pageInfo } = entity[name] as ParsedList;
    const items = [...nodes];
    let after = cursorOf(pageInfo);
    while (after !== undefined) {
      const query = continueQuery(kind, name);
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
