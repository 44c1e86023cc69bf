import type { z } from 'zod';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
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
import { listsIn } from './selection.ts';
import { type ApiDeps, errorFor, type GraphqlError, type QueryOptions, sendQuery } from './send-query.ts';
import { type Entity, familyOf, type Kind } from './shapes.ts';
import { TrackerError } from './tracker-error.ts';

/** Reads what one account sees at the tracker. */
export interface TrackerClient {
  /** Returns whose tokens these are, and of which workspace. */
  viewer(options: QueryOptions): Promise<Viewer>;
  /**
   * Returns a page of a family, the latest update first, with archived entities.
   * @throws TrackerError `cursor_refused` if the list must be read from its start
   */
  list<K extends Kind>(kind: K, request: ListRequest, options: QueryOptions): Promise<EntityPage<K>>;
  /**
   * Returns a page of the ids and times of a family, the latest update first: 250 in a query that costs a thirtieth of
   * one for whole entities. @throws TrackerError `cursor_refused` if the list must be read from its start
   */
  times(kind: Kind, request: TimesRequest, options: QueryOptions): Promise<TimesPage>;
  /** Returns one entity; `undefined` if the account does not see it. */
  find<K extends Kind>(kind: K, id: string, options: QueryOptions): Promise<Entity<K> | undefined>;
  /** Returns all entities of a list. One that was updated meanwhile is in it once. */
  listAll<K extends Kind>(
    kind: K,
    filter: Readonly<Record<string, unknown>>,
    options: QueryOptions,
  ): Promise<Omit<EntityPage<K>, 'nextCursor'>>;
  /** Returns those of the entities that the account sees, 50 in a query. */
  findMany<K extends Kind>(
    kind: K,
    ids: readonly string[],
    options: QueryOptions,
  ): Promise<Omit<EntityPage<K>, 'nextCursor'>>;
  /** Returns a page of what a scope can name. */
  scopeOptions(kind: ScopeKind, request: ScopeRequest, options: QueryOptions): Promise<ScopePage>;
}

export type Viewer = z.output<(typeof viewerQuery)['data']>['viewer'];

export interface ListRequest {
  /** Filter of the family, as the schema has it. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface TimesRequest extends ListRequest {
  readonly includeArchived: boolean;
}

export interface TimesPage {
  readonly items: readonly { readonly id: string; readonly updatedAt: string }[];
  readonly nextCursor: string | undefined;
}

export interface EntityPage<K extends Kind> {
  readonly items: readonly Entity<K>[];
  /** Entities that the provider returned in part. They must not be rendered: fetch each one again. */
  readonly incomplete: readonly string[];
  readonly nextCursor: string | undefined;
}

export interface ScopeRequest {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface ScopePage {
  readonly items: z.output<ReturnType<typeof scopeQuery>['data']>['page']['nodes'];
  readonly nextCursor: string | undefined;
}

/** `onFailure` is told the family of each request that fails. */
export function openTrackerClient(
  deps: ApiDeps & { onFailure?(kind: Kind, error: unknown): void },
): TrackerClient {
  const of = async <T>(kind: Kind, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      deps.onFailure?.(kind, error);
      throw error;
    }
  };
  return {
    async viewer(options) {
      return parseAll(viewerQuery, await ask(deps, viewerQuery, {}, options)).viewer;
    },

    list: (kind, request, options) => of(kind, listPage(deps, kind, request, options)),
    times: (kind, request, options) => of(kind, timesPage(deps, kind, request, options)),
    find: (kind, id, options) => of(kind, findOne(deps, kind, id, options)),
    listAll: (kind, filter, options) => of(kind, readAll(deps, kind, filter, options)),
    findMany: (kind, ids, options) => of(kind, findAll(deps, kind, ids, options)),

    async scopeOptions(kind, { filter, cursor, limit }, options) {
      const query = scopeQuery(kind);
      const answer = await ask(deps, query, { filter, after: cursor, first: limit }, options);
      const { nodes, pageInfo } = parseAll(query, answer).page;
      return { items: nodes, nextCursor: cursorOf(pageInfo) };
    },
  };
}

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | undefined;
}

interface ParsedList {
  readonly nodes: readonly unknown[];
  readonly pageInfo: PageInfo;
}

type ParsedEntity = { readonly id: string } & Readonly<Record<string, unknown>>;

/** Sends a query that has no use for a part of its data. @throws the first error, even if there is data */
async function ask(
  deps: ApiDeps,
  query: Query,
  variables: Readonly<Record<string, unknown>>,
  options: QueryOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { data, errors } = await sendQuery(deps, query, variables, options);
  const [first] = errors;
  if (first === undefined) return data;
  const error = errorFor(first, variables['after'] !== undefined);
  // Only an error of the whole entity says that it is gone. With a part missing, the entity must not be rendered.
  throw Object.values(data).includes(null) ? error : missingPart(error);
}

async function timesPage(
  deps: ApiDeps,
  kind: Kind,
  { filter, cursor, includeArchived }: TimesRequest,
  options: QueryOptions,
): Promise<TimesPage> {
  const query = timesQuery(kind);
  const variables = { filter, after: cursor, includeArchived, first: timesPageSize };
  const { nodes, pageInfo } = parseAll(query, await ask(deps, query, variables, options)).page;
  return { items: nodes, nextCursor: cursorOf(pageInfo) };
}

async function findOne<K extends Kind>(
  deps: ApiDeps,
  kind: K,
  id: string,
  options: QueryOptions,
): Promise<Entity<K> | undefined> {
  try {
    const { entity } = parseAll(findQuery(kind), await ask(deps, findQuery(kind), { id }, options)) as {
      entity: ParsedEntity;
    };
    return (await complete(deps, kind, entity, options)) as Entity<K>;
  } catch (error) {
    if (error instanceof TrackerError && error.reason === 'not_found') return undefined;
    throw error;
  }
}

async function findAll<K extends Kind>(
  deps: ApiDeps,
  kind: K,
  ids: readonly string[],
  options: QueryOptions,
): Promise<Omit<EntityPage<K>, 'nextCursor'>> {
  const items: Entity<K>[] = [];
  const incomplete: string[] = [];
  for (let at = 0; at < ids.length; at += pageSize) {
    const page = await readAll(deps, kind, { id: { in: ids.slice(at, at + pageSize) } }, options);
    items.push(...page.items);
    incomplete.push(...page.incomplete);
  }
  return { items, incomplete };
}

async function listPage<K extends Kind>(
  deps: ApiDeps,
  kind: K,
  { filter, cursor }: ListRequest,
  options: QueryOptions,
): Promise<EntityPage<K>> {
  const { data, errors } = await sendList(
    deps,
    kind,
    { filter, after: cursor, includeArchived: true },
    options,
  );
  const { nodes, pageInfo, incomplete } = parsePage(kind, data, errors);
  const items: Entity<K>[] = [];
  for (const node of nodes) {
    try {
      items.push((await complete(deps, kind, node, options)) as Entity<K>);
    } catch (error) {
      // It went away meanwhile: the caller fetches it alone and finds nothing.
      if (!(error instanceof TrackerError) || error.reason !== 'not_found') throw error;
      incomplete.push(node.id);
    }
  }
  return { items, incomplete, nextCursor: cursorOf(pageInfo) };
}

/** Reads all pages of a list. */
async function readAll<K extends Kind>(
  deps: ApiDeps,
  kind: K,
  filter: ListRequest['filter'],
  options: QueryOptions,
): Promise<Omit<EntityPage<K>, 'nextCursor'>> {
  const items: Entity<K>[] = [];
  const incomplete: string[] = [];
  let cursor: string | undefined;
  do {
    const page: EntityPage<K> = await listPage(deps, kind, { filter, cursor }, options);
    items.push(...page.items);
    incomplete.push(...page.incomplete);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { items: [...new Map(items.map((item) => [item.id, item])).values()], incomplete };
}

/** Sends the query of a page. If its entities are so long that the response is too large, asks for fewer. */
async function sendList(
  deps: ApiDeps,
  kind: Kind,
  variables: Readonly<Record<string, unknown>>,
  options: QueryOptions,
) {
  for (let first = pageSize; ; first = Math.ceil(first / 5)) {
    try {
      return await sendQuery(deps, listQuery(kind), { ...variables, first }, options);
    } catch (error) {
      if (!(error instanceof OutboundError) || error.reason !== 'too_large' || first === 1) throw error;
    }
  }
}

/** Parses a page and sets apart the entities that an error concerns. */
function parsePage(kind: Kind, data: Readonly<Record<string, unknown>>, errors: readonly GraphqlError[]) {
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
async function complete(
  deps: ApiDeps,
  kind: Kind,
  entity: ParsedEntity,
  options: QueryOptions,
): Promise<ParsedEntity> {
  const lists: Record<string, unknown> = {};
  for (const name of listsIn(familyOf(kind).shape)) {
    const list = entity[name] as ParsedList;
    lists[name] = await completeList(deps, { kind, id: entity.id, name }, list, options);
  }
  return { ...entity, ...lists };
}

async function completeList(
  deps: ApiDeps,
  { kind, id, name }: { readonly kind: Kind; readonly id: string; readonly name: string },
  first: ParsedList,
  options: QueryOptions,
): Promise<readonly unknown[]> {
  const nodes = [...first.nodes];
  let after = cursorOf(first.pageInfo);
  while (after !== undefined) {
    const query = continueQuery(kind, name);
    const data = await ask(deps, query, { id, after }, options);
    const { entity } = parseAll(query, data) as { entity: { list: ParsedList } };
    nodes.push(...entity.list.nodes);
    after = cursorOf(entity.list.pageInfo);
  }
  return nodes;
}

function cursorOf({ hasNextPage, endCursor }: PageInfo): string | undefined {
  return hasNextPage ? endCursor : undefined;
}

function parseAll<T extends z.ZodType>(query: Query<T>, data: unknown): z.output<T> {
  const parsed = query.data.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new TrackerError(
    'protocol',
    'The tracker answered a query with other fields than were asked for. Check TRACKER_API_URL, or update the service.',
    { cause: parsed.error },
  );
}

function missingPart(cause: unknown): Unavailable {
  return new Unavailable(
    'tracker_unavailable',
    'The tracker returned only a part of what was asked for. Jobs try again by themselves.',
    { cause },
  );
}
