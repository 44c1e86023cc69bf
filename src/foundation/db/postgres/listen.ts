import type pg from 'pg';
import type { Logger } from '../../telemetry/logger.ts';

/** Delay before a lost connection is opened again, in milliseconds. */
const reconnectMs = 1_000;

export interface Notifications {
  subscribe(channel: string, onChange: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Listens for notifications on a separate connection, which is opened with the first subscription. After a
 * reconnection every subscriber is called, because notifications may have been lost.
 */
export function listen(newClient: () => pg.Client, log: Logger): Notifications {
  const channels = new Map<string, Set<() => void>>();
  let client: pg.Client | undefined;
  let connecting: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const call = (channel: string): void => {
    for (const onChange of channels.get(channel) ?? []) onChange();
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
    const newConnection = newClient();
    newConnection.on('notification', ({ channel }) => call(channel));
    newConnection.on('error', lost);
    newConnection.on('end', () => {
      if (client === newConnection) lost();
    });
    try {
      await newConnection.connect();
      client = newConnection;
      for (const channel of channels.keys()) await newConnection.query(`listen ${quoted(channel)}`);
      for (const channel of channels.keys()) call(channel);
    } catch (error) {
      lost(error instanceof Error ? error : undefined);
      await newConnection.end().catch(() => {});
    }
  };
  const listenTo = async (channel: string): Promise<void> => {
    connecting ??= connect();
    await connecting;
    await client?.query(`listen ${quoted(channel)}`).catch(lost);
  };

  return {
    subscribe: (channel, onChange) => {
      const subscribers = channels.get(channel);
      if (subscribers === undefined) {
        channels.set(channel, new Set([onChange]));
        void listenTo(channel);
      } else {
        subscribers.add(onChange);
      }
      return () => void channels.get(channel)?.delete(onChange);
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
