import { z } from 'zod';
import { maxOffset, type OncallClient, pageSize, type Range } from './oncall-client.ts';
import type { LogEntry } from './shapes.ts';

/** A second: the precision of the times that end a range. */
const secondMs = 1_000;

/** A place in a list of log entries. */
export const logPosition = z.object({
  /** End of the range, in milliseconds since the epoch; absent for the end of the list. */
  until: z.number().optional(),
  offset: z.number(),
});

type LogPosition = z.output<typeof logPosition>;

interface LogPage {
  readonly items: readonly LogEntry[];
  /** The place at which the list goes on; `undefined` at its end. */
  readonly next: LogPosition | undefined;
}

/**
 * Reads the log entries of an incident, or of the account, newest first, page by page. The provider lists 10,000 of a
 * range at most; the list goes on with the range that ends at the oldest entry. Entries of its second come twice, and
 * so do entries that new ones moved to a later page.
 */
export async function* readLog(
  client: OncallClient,
  log: Range & { readonly of?: string },
  start: LogPosition,
): AsyncGenerator<LogPage, void> {
  let position: LogPosition | undefined = start;
  while (position !== undefined) {
    const { until = log.until, offset }: LogPosition = position;
    const { items, more } = await client.logEntries({ ...log, until, offset });
    position = more && items.length > 0 ? after(position, items) : undefined;
    yield { items, next: position };
  }
}

function after({ until, offset }: LogPosition, items: readonly LogEntry[]): LogPosition | undefined {
  const next = offset + items.length;
  if (next + pageSize <= maxOffset) return { until, offset: next };
  const oldest = Math.min(...items.map(({ created_at }) => Date.parse(created_at))) + secondMs;
  // More than the provider lists happened in one second; the rest cannot be read.
  return until !== undefined && oldest >= until ? undefined : { until: oldest, offset: 0 };
}
