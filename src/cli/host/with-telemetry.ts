import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { type OpenTelemetry, openTelemetry } from '../../foundation/telemetry/telemetry.ts';
import type { Terminal } from '../frame/terminal.ts';
import { warnMisspelled } from './warn-misspelled.ts';

/** Delay before the process exits, in milliseconds. Long enough to write the last log lines. */
const pauseMs = 100;

/** Runs a process of the service with telemetry, and flushes it when the work ends or fails. */
export async function withTelemetry(
  role: string,
  settings: Pick<LoadedConfig, 'config' | 'secrets' | 'misspelled'>,
  { out }: Pick<Terminal, 'out'>,
  work: (telemetry: OpenTelemetry) => Promise<void>,
): Promise<void> {
  const { config, secrets } = settings;
  const telemetry = await openTelemetry({
    config,
    proxies: secrets.proxies,
    role,
    pretty: out.isTerminal,
  });
  // The server warns on behalf of the worker that it starts.
  if (role !== 'worker' || !process.connected) warnMisspelled(settings, telemetry.log);
  try {
    await work(telemetry);
  } finally {
    await telemetry.close();
    exitSoon();
  }
}

/**
 * Ends the process even if an exporter still waits for its collector. The timer is unreferenced, so that a process
 * with nothing pending ends earlier.
 */
function exitSoon(): void {
  setTimeout(() => process.exit(), pauseMs).unref();
}
