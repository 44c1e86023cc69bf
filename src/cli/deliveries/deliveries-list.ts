import {
  type Delivery,
  type DeliveryFilter,
  listDeliveries,
} from '../../features/connectors/intake/delivery-store.ts';
import { isoTime, isoTimeOrNull } from '../../foundation/kernel/clock.ts';
import type { Style } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import { ageOf } from '../frame/lists/age.ts';
import { shortIds } from '../frame/lists/short-ids.ts';
import { type Column, formatTable } from '../frame/lists/table.ts';
import { choice, integer, text } from '../frame/parameters.ts';
import { parseSince } from '../frame/since.ts';
import { completeConnection } from '../host/host-connection.ts';
import { hostFlags } from '../host/host-flags.ts';
import { withHostDatabase } from '../host/with-host-database.ts';

export const deliveriesListCommand = defineCommand({
  description:
    'Lists the webhook deliveries of the last 14 days, newest first. At most 10 rejected deliveries per minute are stored ' +
    'for each connection; the others are only counted in the log.',
  flags: {
    connection: text('connection', 'only deliveries of this connection: its name, id or start of the id'),
    outcome: choice(['accepted', 'ignored', 'rejected'], 'only deliveries with this outcome'),
    since: text('time', 'only deliveries received since: 2h, 3d or 2026-11-21T08:00:00Z'),
    limit: integer('count', 'maximum number of deliveries', [1, 200]),
    cursor: text('cursor', 'cursor of the next page, as printed with the previous one'),
    ...hostFlags,
  },
  examples: ['orgctx deliveries list --outcome rejected --since 1h', 'orgctx deliveries list --json'],
  run: async ({ flags }, context) => {
    const { connection, outcome, limit, cursor } = flags;
    const since = flags.since === undefined ? undefined : parseSince(flags.since, '--since');
    return withHostDatabase(context, flags, { name: 'deliveries' }, async ({ database }) => {
      const connectionId = connection && (await completeConnection(database.queries, connection));
      const filter = { connectionId, outcome, since, limit, cursor };
      const { items, nextCursor } = await listDeliveries(database.queries, filter);
      return {
        json: { items: items.map(toRecord), nextCursor },
        text: formatTable(items, columnsOf(items), context.terminal.out),
        notes: [
          ...(nextCursor === null ? [] : [`More deliveries are available: --cursor ${nextCursor}`]),
          ...(items.length === 0 ? [noDeliveries(filter)] : []),
        ],
      };
    });
  },
});

/** Returns the message for an empty list, with what to do next. */
function noDeliveries({ connectionId, outcome, since }: DeliveryFilter): string {
  const isFiltered = connectionId !== undefined || outcome !== undefined || since !== undefined;
  return isFiltered
    ? 'No deliveries match. Run "orgctx deliveries list" without filters to see those of the last 14 days.'
    : 'No webhook arrived in the last 14 days. Check that the provider sends its webhooks to this service, and that it ' +
        'can reach AUTH_BASE_URL.';
}

function toRecord(delivery: Delivery) {
  const { id, source, connectionId, outcome, reason, event, entities, bodyHash, bodyBytes } = delivery;
  return {
    id,
    source,
    connectionId: connectionId ?? null,
    outcome,
    reason: reason ?? null,
    event: event ?? null,
    entities,
    bodyHash,
    bodyBytes,
    receivedAt: isoTime(delivery.receivedAt),
    replayedAt: isoTimeOrNull(delivery.replayedAt),
  };
}

const styles: Readonly<Record<Delivery['outcome'], Style>> = {
  accepted: 'green',
  ignored: 'yellow',
  rejected: 'red',
};

function columnsOf(deliveries: readonly Delivery[]): readonly Column<Delivery>[] {
  const shortId = shortIds(deliveries.map(({ id }) => id));
  return [
    { title: 'RECEIVED', cell: ({ receivedAt }) => ageOf(receivedAt) },
    { title: 'SOURCE', cell: ({ source }) => source },
    { title: 'OUTCOME', cell: ({ outcome }) => outcome, style: ({ outcome }) => styles[outcome] },
    { title: 'REASON', cell: ({ reason }) => reason ?? '', shrinks: 3 },
    { title: 'EVENT', cell: ({ event }) => event ?? '', shrinks: 2 },
    {
      title: 'ENTITIES',
      cell: ({ entities }) => entities.map(({ kind, id }) => `${kind} ${id}`).join(', '),
      shrinks: 1,
    },
    { title: 'ID', cell: ({ id }) => shortId(id) },
  ];
}
