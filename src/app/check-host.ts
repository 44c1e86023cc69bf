import { migrations } from '../../migrations/index.ts';
import type { Host } from '../features/doctor/host/check.ts';
import type { HostReport } from '../features/doctor/host/report.ts';
import { runHostChecks } from '../features/doctor/host/run-checks.ts';
import type { LoadedConfig } from '../foundation/config/load-config.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { codeSearchAsker } from './ask-code-search.ts';
import { serverAsker } from './ask-server.ts';
import { openConfiguredDatabase, type Settings } from './open/open-database.ts';

/** Runs the checks of `orgctx doctor`. Rejects only with the reason of `signal`. */
export function checkHost(settings: LoadedConfig, log: Logger, signal: AbortSignal): Promise<HostReport> {
  return runChecks(settings, log, signal, serverAsker(settings, signal));
}

/** Runs the same checks in the server itself, which does not ask itself whether it responds. */
export function checkOwnHost(settings: Settings, log: Logger, signal: AbortSignal): Promise<HostReport> {
  return runChecks(settings, log, signal, undefined);
}

function runChecks(
  settings: Settings,
  log: Logger,
  signal: AbortSignal,
  server: Host['server'],
): Promise<HostReport> {
  const { config, secrets } = settings;
  return runHostChecks({
    host: { config, secrets, clock, askCodeSearch: codeSearchAsker(settings, signal), server },
    migrations,
    openDatabase: () => openConfiguredDatabase(settings, 'command', log),
    onError: (check, error) => log.debug({ err: error, check }, 'a check failed'),
    signal,
  });
}
