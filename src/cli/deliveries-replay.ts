import { webhookReaders } from '../app/webhook-sources.ts';
import {
  type ReplayDeps,
  replayDeliveriesSince,
  replayDelivery,
} from '../features/connectors/intake/replay-deliveries.ts';
import { systemClock } from '../foundation/kernel/clock.ts';
import type { ConnectionId } from '../foundation/kernel/ids.ts';
import { defineCommand } from './frame/command.ts';
import { text, texts } from './frame/parameters.ts';
import { UsageError } from './frame/usage-error.ts';
import { hostFlags } from './host-flags.ts';
import { parseSince } from './since.ts';
import { withHostDatabase } from './with-host-database.ts';

export const deliveriesReplayCommand = defineCommand({
  description:
    'Enqueues again what accepted deliveries led to: the entities they name are fetched anew. Doing it twice does no harm.',
  args: { ids: texts('ids of deliveries, as "deliveries list" shows them') },
  flags: {
    since: text(
      'time',
      'with --connection: every accepted delivery since then (2h, 3d, 2026-11-21T08:00:00Z)',
    ),
    connection: text('id', 'with --since: of this connection'),
    ...hostFlags,
  },
  examples: [
    'orgctx deliveries replay 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10',
    'orgctx deliveries replay --since 2h --connection 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f11',
  ],
  run: async ({ args, flags }, context) => {
    const chosen = chosenDeliveries(args.ids, flags);
    return withHostDatabase(context, flags, { name: 'deliveries' }, async ({ database, log }) => {
      const deps = { database, readers: webhookReaders, clock: systemClock };
      let replayed = 0;
      for await (const { count, ...which } of replayChosen(deps, chosen)) {
        log.info({ audit: 'deliveries.replay', replayed: count, ...which }, 'deliveries replayed');
        replayed += count;
        context.signal.throwIfAborted();
      }
      return {
        json: { replayed },
        text: `${replayed} ${replayed === 1 ? 'delivery' : 'deliveries'} replayed.`,
      };
    });
  },
});

type Chosen =
  | { readonly kind: 'named'; readonly ids: readonly string[] }
  | { readonly kind: 'range'; readonly since: number; readonly connectionId: ConnectionId };

function chosenDeliveries(
  ids: readonly string[],
  { since, connection }: { readonly since: string | undefined; readonly connection: string | undefined },
): Chosen {
  const hint = 'Name the ids of "orgctx deliveries list", or use --since together with --connection.';
  const ranged = since !== undefined || connection !== undefined;
  if (ids.length > 0 && ranged) throw new UsageError('Both ids and a range were given.', hint);
  if (ids.length > 0) return { kind: 'named', ids: [...new Set(ids)] };
  if (since === undefined || connection === undefined)
    throw new UsageError('No deliveries were named.', hint);
  return {
    kind: 'range',
    since: parseSince(since, '--since'),
    connectionId: connection as ConnectionId,
  };
}

/** What one transaction replayed. */
interface Replayed {
  readonly count: number;
  readonly deliveryId?: string;
  readonly connectionId?: ConnectionId;
}

async function* replayChosen(deps: ReplayDeps, chosen: Chosen): AsyncGenerator<Replayed, void> {
  if (chosen.kind === 'range') {
    const { connectionId } = chosen;
    for await (const count of replayDeliveriesSince(deps, chosen)) yield { count, connectionId };
    return;
  }
  for (const deliveryId of chosen.ids) {
    await replayDelivery(deps, deliveryId);
    yield { count: 1, deliveryId };
  }
}
