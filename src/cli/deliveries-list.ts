import type { Delivery } from '../features/connectors/intake/delivery.ts';
import { listDeliveries } from '../features/connectors/intake/delivery-store.ts';
import { isoTime } from '../foundation/kernel/clock.ts';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import type { Channel, Style } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import { choice, integer, text } from './frame/parameters.ts';
import { hostFlags } from './host-flags.ts';
import { parseSince } from './since.ts';
import { withHostDatabase } from './with-host-database.ts';

export const deliveriesListCommand = defineCommand({
  description:
    'Lists the webhook deliveries of the last 14 days, newest first. Of rejected ones, 60 a minute are kept and the rest ' +
    'is only counted in the log.',
  flags: {
    connection: text('id', 'deliveries of this connection alone'),
    outcome: choice(['accepted', 'ignored', 'rejected'], 'deliveries with this outcome alone'),
    since: text('time', 'received since then: 2h, 3d or 2026-11-21T08:00:00Z'),
    limit: integer('count', 'deliveries in a page', [1, 200]),
    cursor: text('cursor', 'the next page, as the last one named it'),
    ...hostFlags,
  },
  examples: ['orgctx deliveries list --outcome rejected --since 1h', 'orgctx deliveries list --json'],
  run: async ({ flags }, context) => {
    const { connection, outcome, limit, cursor } = flags;
    const since = flags.since === undefined ? undefined : parseSince(flags.since, '--since');
    return withHostDatabase(context, flags, { name: 'deliveries' }, async ({ database }) => {
      const filter = { connectionId: connection, outcome, since, limit, cursor };
      const { items, nextCursor } = await listDeliveries(database.queries, filter);
      if (nextCursor !== null) context.terminal.note(`There are more: --cursor ${nextCursor}`);
      if (items.length === 0) context.terminal.note('There is no such delivery.');
      return {
        json: { items: items.map(toRecord), nextCursor },
        text: items.map((delivery) => inWords(delivery, context.terminal.out)).join('\n'),
      };
    });
  },
});

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
    replayedAt: delivery.replayedAt === undefined ? null : isoTime(delivery.replayedAt),
  };
}

const styles: Readonly<Record<Delivery['outcome'], Style>> = {
  accepted: 'green',
  ignored: 'yellow',
  rejected: 'red',
};

function inWords(delivery: Delivery, channel: Channel): string {
  const { id, source, outcome, reason, event, entities, receivedAt } = delivery;
  const what = [event ?? '', ...entities.map((entity) => `${entity.kind} ${entity.id}`)].map(visibleLine);
  const fate = channel.style(styles[outcome], outcome) + (reason === undefined ? '' : ` (${reason})`);
  return [isoTime(receivedAt), id, source, fate, ...what].filter(Boolean).join('  ');
}
