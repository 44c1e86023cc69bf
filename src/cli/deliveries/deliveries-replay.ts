import {
  type ReplayDeps,
  replayDeliveriesSince,
  replayDelivery,
} from '../../features/connectors/intake/replay-deliveries.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { defineCommand } from '../frame/command.ts';
import { text, texts } from '../frame/parameters.ts';
import { parseSince } from '../frame/since.ts';
import { UsageError } from '../frame/usage-error.ts';
import { completeConnection } from '../host/host-connection.ts';
import { hostFlags } from '../host/host-flags.ts';
import { completeIds, type HostRecords } from '../host/host-ids.ts';
import { withHostDatabase } from '../host/with-host-database.ts';

const deliveryRecords: HostRecords = {
  table: 'deliveries',
  singular: 'delivery',
  plural: 'deliveries',
  listedBy: 'orgctx deliveries list',
};

export const deliveriesReplayCommand = defineCommand({
  description:
    'Enqueues the work of accepted deliveries again: the entities that they name are fetched again. It is safe to repeat.',
  args: { ids: texts('ids of deliveries, or their starts, from "orgctx deliveries list"') },
  flags: {
    since: text('time', 'with --connection: all accepted deliveries since (2h, 3d, 2026-11-21T08:00:00Z)'),
    connection: text('connection', 'with --since: name, id or start of the id; its deliveries'),
    ...hostFlags,
  },
  examples: [
    'orgctx deliveries replay 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10',
    'orgctx deliveries replay --since 2h --connection 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f11',
  ],
  run: async ({ args, flags }, context) => {
    const chosen = chosenDeliveries(args.ids, flags);
    return withHostDatabase(context, flags, { name: 'deliveries' }, async ({ database, log }) => {
      const deps = {
        database,
        connectors,
        clock: systemClock,
        actor: { kind: 'host' },
      } as const;
      let replayed = 0;
      for await (const { count, ...which } of replayChosen(deps, chosen)) {
        log.info({ audit: 'deliveries.replayed', replayed: count, ...which }, 'deliveries replayed');
        replayed += count;
        context.signal.throwIfAborted();
      }
      return {
        json: { replayed },
        text: `${counted(replayed, 'delivery', 'deliveries')} replayed.`,
      };
    });
  },
});

type Chosen =
  | { readonly kind: 'named'; readonly ids: readonly string[] }
  | { readonly kind: 'range'; readonly since: number; readonly connection: string };

function chosenDeliveries(
  ids: readonly string[],
  { since, connection }: { readonly since: string | undefined; readonly connection: string | undefined },
): Chosen {
  const hint = 'Give ids from "orgctx deliveries list", or use --since together with --connection.';
  const ranged = since !== undefined || connection !== undefined;
  if (ids.length > 0 && ranged) throw new UsageError('Ids and a range cannot be combined.', hint);
  if (ids.length > 0) return { kind: 'named', ids };
  if (since === undefined || connection === undefined)
    throw new UsageError('No deliveries were given.', hint);
  return { kind: 'range', since: parseSince(since, '--since'), connection };
}

/** The deliveries that one transaction replayed. */
interface Replayed {
  readonly count: number;
  readonly deliveryId?: string;
  readonly connectionId?: ConnectionId;
}

async function* replayChosen(deps: ReplayDeps, chosen: Chosen): AsyncGenerator<Replayed, void> {
  const { queries } = deps.database;
  if (chosen.kind === 'range') {
    const range = { since: chosen.since, connectionId: await completeConnection(queries, chosen.connection) };
    for await (const count of replayDeliveriesSince(deps, range))
      yield { count, connectionId: range.connectionId };
    return;
  }
  for (const deliveryId of await completeIds(queries, deliveryRecords, chosen.ids)) {
    await replayDelivery(deps, deliveryId);
    yield { count: 1, deliveryId };
  }
}
