import { type ListPage, maxOffset, pageSize } from './oncall-client.ts';
import type { LogEntry } from './shapes.ts';

/** A second: the precision of the times that end a range. */
const secondMs = 1_000;

/**
 * Reads a list of log entries, newest first, page by page. The provider lists 10,000 of a range at most; the list goes
 * on with the range that ends at the oldest entry. Entries of its second come twice.
 */
export async function* readLog(
  list: (page: {
    readonly offset: number;
    readonly until?: string | undefined;
  }) => Promise<ListPage<LogEntry>>,
): AsyncGenerator<readonly LogEntry[], void> {
  let until: number | undefined;
  let oldest = Number.POSITIVE_INFINITY;
  let offset = 0;
  for (;;) {
    const end = until === undefined ? undefined : new Date(until).toISOString();
    const { items, more } = await list({ offset, until: end });
    yield items;
    if (!more || items.length === 0) return;
    offset += items.length;
    oldest = Math.min(oldest, ...items.map(({ created_at }) => Date.parse(created_at)));
    if (offset + pageSize <= maxOffset) continue;
    const next = oldest + secondMs;
    // More than the provider lists happened in one second; the rest cannot be read.
    if (until !== undefined && next >= until) return;
    until = next;
    offset = 0;
  }
}
