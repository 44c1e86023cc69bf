import type { Logger } from '../logger.ts';

type Outcome = { readonly code: number; readonly error?: Error };
/** `ExportResultCode.SUCCESS`. */
const success = 0;

/** The common interface of the exporters of all three signals. */
interface Exporter<Items> {
  export(items: Items, done: (outcome: Outcome) => void): void;
}

/** Minimum interval between two warnings about a failing collector, in milliseconds. */
const warningIntervalMs = 60_000;

/**
 * Logs when a collector fails and when it recovers, at most once a minute. `whenFailed` receives the items that it
 * rejected. Changes the exporter in place, because the SDK recognises its own exporters by more than these methods.
 */
export function watchExports<Items>(
  exporter: Exporter<Items>,
  signal: string,
  log: Logger,
  whenFailed: (items: Items) => void = () => {},
): void {
  const send = exporter.export.bind(exporter);
  const report = reporter(signal, log);
  exporter.export = (items, done) => {
    send(items, (outcome) => {
      report(outcome);
      if (outcome.code !== success) whenFailed(items);
      done(outcome);
    });
  };
}

function reporter(signal: string, log: Logger): (outcome: Outcome) => void {
  let failures = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;
  return ({ code, error }) => {
    if (code === success) {
      if (failures > 0) log.info({ signal, failures }, 'telemetry is exported again');
      failures = 0;
      warnedAt = Number.NEGATIVE_INFINITY;
      return;
    }
    failures += 1;
    if (performance.now() - warnedAt < warningIntervalMs) return;
    warnedAt = performance.now();
    log.warn({ signal, failures, reason: error?.message }, 'telemetry could not be exported');
  };
}
