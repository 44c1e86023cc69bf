import { z } from 'zod';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { pageRecord } from '../../foundation/kernel/wire/page-record.ts';
import type { CommandResult } from '../frame/command.ts';
import { ambiguousId, mayStartId, shortIds } from '../frame/lists/short-ids.ts';
import { type Column, formatTable } from '../frame/lists/table.ts';
import { integer, text } from '../frame/parameters.ts';
import type { Terminal } from '../frame/terminal.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';

/** The flags of commands that show one page of a list. */
export const pageFlags = {
  limit: integer('count', 'maximum number of entries', [1, 200]),
  cursor: text('cursor', 'cursor of the next page, as printed with the previous one'),
};

/** A list of the service: its path, the schema of its entries and how an argument names one of them. */
export interface RemoteEntries<Item> {
  /** Path under `/:orgSlug/api/v1`. */
  readonly path: string;
  readonly item: z.ZodType<Item>;
  /** Name of the entries, for messages: `repositories`. */
  readonly plural: string;
  readonly idOf: (item: Item) => string;
  /** The name of an entry, shown next to its id. */
  readonly labelOf: (item: Item) => string;
}

/** A list of the service that a command prints. */
export interface RemoteList<Item> extends RemoteEntries<Item> {
  /** Returns the columns, the most important ones first; `shortId` returns the id of an entry as lists show it. */
  readonly columns: (shortId: (item: Item) => string) => readonly Column<Item>[];
  /** The message for an empty list, with what to do next. */
  readonly none: string;
}

export interface PageFlagValues {
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

/**
 * Returns one page as the result of a command, and prints to stderr how to get the next one.
 * @param filter further parameters of the list
 */
export async function showPage<Item>(
  api: ApiClient,
  list: RemoteList<Item>,
  { limit, cursor }: PageFlagValues,
  terminal: Terminal,
  filter: NonNullable<ApiRequest['query']> = {},
): Promise<CommandResult> {
  const { items, nextCursor } = await readPage(api, list, { ...filter, limit, cursor });
  const notes = [
    ...(nextCursor === null ? [] : [`More entries are available: --cursor ${visibleLine(nextCursor)}`]),
    ...(items.length === 0 ? [list.none] : []),
  ];
  const shorten = shortIds(items.map(list.idOf));
  const columns = list.columns((item) => shorten(list.idOf(item)));
  return { json: { items, nextCursor }, text: formatTable(items, columns, terminal.out), notes };
}

/**
 * Returns the entry of all pages whose id is `given` or that `isNamed` accepts, otherwise the only one whose id starts
 * with `given`.
 * @throws UsageError that lists the candidates if there are several
 */
export async function findEntry<Item>(
  api: ApiClient,
  list: RemoteEntries<Item>,
  given: string,
  isNamed: (item: Item) => boolean = () => false,
): Promise<Item | undefined> {
  const candidates: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: RemotePage<Item> = await readPage(api, list, { limit: 200, cursor: cursor ?? undefined });
    const exact = page.items.find((item) => list.idOf(item) === given || isNamed(item));
    if (exact !== undefined) return exact;
    if (mayStartId(given)) candidates.push(...page.items.filter((item) => list.idOf(item).startsWith(given)));
    cursor = page.nextCursor;
  } while (cursor !== null);
  if (candidates.length <= 1) return candidates[0];
  const shown = candidates.map((item) => ({ id: list.idOf(item), label: list.labelOf(item) }));
  throw ambiguousId(given, list.plural, shown);
}

interface RemotePage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export async function readPage<Item>(
  api: ApiClient,
  { path, item }: Pick<RemoteList<Item>, 'path' | 'item'>,
  query: NonNullable<ApiRequest['query']>,
): Promise<RemotePage<Item>> {
  const shape = pageRecord(item).partial({ nextCursor: true });
  const page = await api.call({ path, query }, shape);
  return { items: page.items, nextCursor: page.nextCursor ?? null };
}

/** The shape of a response without content (204). */
export const noContent = z.undefined();
