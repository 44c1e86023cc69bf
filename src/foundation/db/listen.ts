import type pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';

/** Between two attempts to get a broken connection back. */
const reconnectMs = 1_000;

export interface News {
  subscribe(channel: string, onNews: () => void): () => void;
  close(): Promise<void>;
}

/**
 * LISTEN on one connection of its own, opened with the first subscription. After a break every subscriber is called,
 * since notifications of the meantime are lost.
 */
export function listen(newClient: () => pg.Client, log: Logger): News {
  const channels = new Map<string, Set<() => void>>();
  let client: pg.Client | undefined;
  let connecting: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const call = (channel: string): void => {
    for (const onNews of channels.get(channel) ?? []) onNews();
  };
  const lost = (error?: Error): void => {
    client = undefined;
    if (closed || retry !== undefined) return;
    log.warn({ err: error }, 'Postgres LISTEN connection lost');
    retry = setTimeout(() => {
      retry = undefined;
      connecting = connect();
    }, reconnectMs);
    retry.unref();
  };
  const connect = async (): Promise<void> => {
    const fresh = newClient();
    fresh.on('notification', ({ channel }) => call(channel));
    fresh.on('error', lost);
    fresh.on('end', () => {
      if (client === fresh) lost();
    });
    try {
      await fresh.connect();
      client = fresh;
      for (const channel of channels.keys()) await fresh.query(`listen ${quoted(channel)}`);
      for (const channel of channels.keys()) call(channel);
    } catch (error) {
      lost(error instanceof Error ? error : undefined);
      await fresh.end().catch(() => {});
    }
  };
  const listenTo = async (channel: string): Promise<void> => {
    connecting ??= connect();
    await connecting;
    await client?.query(`listen ${quoted(channel)}`).catch(lost);
  };

  return {
    subscribe: (channel, onNews) => {
      const subscribers = channels.get(channel);
      if (subscribers === undefined) {
        channels.set(channel, new Set([onNews]));
        void listenTo(channel);
      } else {
        subscribers.add(onNews);
      }
      return () => void channels.get(channel)?.delete(onNews);
    },
    close: async () => {
      closed = true;
      clearTimeout(retry);
      channels.clear();
      await connecting;
      await client?.end();
    },
  };
}

function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}
