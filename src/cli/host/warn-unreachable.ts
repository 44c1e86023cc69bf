import { isSet, type LoadedConfig } from '../../foundation/config/load-config.ts';
import { isLoopback } from '../../foundation/kernel/loopback.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';

/**
 * Warns if the service listens on a public address without AUTH_BASE_URL. Its URLs, the sign-in and the metadata of
 * clients then name this machine only, so clients on other machines cannot connect.
 */
export function warnUnreachable(
  { config, origins }: Pick<LoadedConfig, 'config' | 'origins'>,
  log: Logger,
): void {
  const { host } = config.http;
  if (isLoopback(host) || isSet(origins.AUTH_BASE_URL)) return;
  log.warn(
    { host, baseUrl: config.baseUrl },
    'other machines can connect, but every URL names this machine: set AUTH_BASE_URL to the https origin that clients ' +
      'use, such as https://context.example.com, or HOST to 127.0.0.1',
  );
}
