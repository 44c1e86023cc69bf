import { z } from 'zod';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import type { ApiClient } from './api-client.ts';
import type { CommandResult } from './frame/command.ts';
import { integer, text } from './frame/parameters.ts';
import type { Terminal } from './frame/terminal.ts';
import { inColumns } from './in-columns.ts';

/** Flags of the commands that show one page of a list of the service. */
export const pageFlags = {
  limit: integer('count', 'entries in a page', [1, 200]),
  cursor: text('cursor', 'the next page, as the last one named it'),
};

/** A list of the service: where it is, what its entries are, and how people read them. */
export interface RemoteList<Item> {
  /** Under `/:orgSlug/api/v1`. */
  readonly path: string;
  readonly item: z.ZodType<Item>;
  /** The cells of an entry's line. */
  readonly cells: (item: Item) => readonly string[];
  /** What to say when there is nothing, with the next step. */
  readonly none: string;
}

export interface PageFlagValues {
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
}

/** One page as the result of a command; how to get the next one is said on stderr. */
export async function showPage<Item>(
  api: ApiClient,
  list: RemoteList<Item>,
  { limit, cursor }: PageFlagValues,
  terminal: Terminal,
): Promise<CommandResult> {
  const { items, nextCursor } = await readPage(api, list, { limit, cursor });
  if (nextCursor !== null) terminal.note(`There are more: --cursor ${visibleLine(nextCursor)}`);
  if (items.length === 0) terminal.note(list.none);
  return { json: { items, nextCursor }, text: inColumns(items.map(list.cells)) };
}

/** The first entry of all pages that `wanted` takes. */
export async function findEntry<Item>(
  api: ApiClient,
  list: RemoteList<Item>,
  wanted: (item: Item) => boolean,
): Promise<Item | undefined> {
  let cursor: string | null = null;
  do {
    const page: RemotePage<Item> = await readPage(api, list, { limit: 200, cursor: cursor ?? undefined });
    const found = page.items.find(wanted);
    if (found !== undefined) return found;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return undefined;
}

interface RemotePage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

async function readPage<Item>(
  api: ApiClient,
  { path, item }: RemoteList<Item>,
  query: PageFlagValues,
): Promise<RemotePage<Item>> {
  const shape = z.object({ items: z.array(item), nextCursor: z.string().nullish() });
  const page = await api.call({ path, query: { ...query } }, shape);
  return { items: page.items, nextCursor: page.nextCursor ?? null };
}

/** What an answer without content (204) is read as. */
export const noContent = z.undefined();
