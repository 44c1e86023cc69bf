import type { LoadedConfig } from '../foundation/config/load-config.ts';
import { type OpenTelemetry, openTelemetry } from '../foundation/telemetry/telemetry.ts';
import type { Terminal } from './frame/terminal.ts';

/** Long enough for the last words to be written, in milliseconds. */
const pauseMs = 100;

/** Does the work of a process of the service, and sends the last that it has to tell, however it ends. */
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
    endSoon();
  }
}

/**
 * Ends the process though an exporter still waits for its collector. Where nothing waits it ends by itself before,
 * since the timer holds nothing up.
 */
function endSoon(): void {
  setTimeout(() => process.exit(), pauseMs).unref();
}
