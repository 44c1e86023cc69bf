import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { type OpenTelemetry, openTelemetry } from '../../foundation/telemetry/telemetry.ts';
import type { Terminal } from '../frame/terminal.ts';

/** Delay before the process exits, in milliseconds. Long enough to write the last log lines. */
const pauseMs = 100;

/** Runs a process of the service with telemetry, and flushes it when the work ends or fails. */
export async function withTelemetry(
  role: string,
  { config }: Pick<LoadedConfig, 'config'>,
  { out }: Pick<Terminal, 'out'>,
  work: (telemetry: OpenTelemetry) => Promise<void>,
): Promise<void> {
  const telemetry = await openTelemetry({ config, role, pretty: out.isTerminal });
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
