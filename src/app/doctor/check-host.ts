import { migrations } from '../../../migrations/index.ts';
import type { Host } from '../../features/doctor/host/check.ts';
import type { HostReport } from '../../features/doctor/host/report.ts';
import { runHostChecks } from '../../features/doctor/host/run-checks.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import { systemClock as clock } from '../../foundation/kernel/clock.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { openConfiguredDatabase, type Settings } from '../open/open-database.ts';
import { codeSearchProbe } from './probe-code-search.ts';
import { modelProbe } from './probe-model.ts';
import { serverProbe } from './probe-server.ts';

/** Runs the checks of `orgctx doctor`. Rejects only with the reason of `signal`. */
export function checkHost(settings: LoadedConfig, log: Logger, signal: AbortSignal): Promise<HostReport> {
  const askModel = modelProbe(settings, signal);
  return runChecks(settings, log, signal, { server: serverProbe(settings, signal), askModel });
}

/**
 * Runs the same checks in the server itself, which does not ask itself whether it responds. It does not ask the
 * language model either: the checks run with each view of a page, and each question costs money.
 */
export function checkOwnHost(settings: Settings, log: Logger, signal: AbortSignal): Promise<HostReport> {
  return runChecks(settings, log, signal, {});
}

function runChecks(
  settings: Settings,
  log: Logger,
  signal: AbortSignal,
  probes: Pick<Host, 'server' | 'askModel'>,
): Promise<HostReport> {
  const { config, secrets } = settings;
  return runHostChecks({
    host: {
      config,
      secrets,
      clock,
      askCodeSearch: codeSearchProbe(settings, signal),
      ...probes,
    },
    migrations,
    openDatabase: () => openConfiguredDatabase(settings, 'command', log),
    onError: (check, error) => log.debug({ err: error, check }, 'a check failed'),
    signal,
  });
}
