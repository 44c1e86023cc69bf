import type { Logger } from '../logger.ts';

type Outcome = { readonly code: number; readonly error?: Error };
/** `ExportResultCode.SUCCESS`. */
const success = 0;

/** What the exporters of all three signals have in common. */
interface Exporter<Items> {
  export(items: Items, done: (outcome: Outcome) => void): void;
}

/** Between two words about a collector that does not take what it is sent, in milliseconds. */
const silenceMs = 60_000;

/**
 * Reports in `log` when a collector fails and when it takes data again, at most once a minute; `whenFailed` gets what
 * it did not take. Changes the exporter in place: the SDK recognises its own by more than these methods.
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
  let saidAt = Number.NEGATIVE_INFINITY;
  return ({ code, error }) => {
    if (code === success) {
      if (failures > 0) log.info({ signal, failures }, 'telemetry is exported again');
      failures = 0;
      saidAt = Number.NEGATIVE_INFINITY;
      return;
    }
    failures += 1;
    if (performance.now() - saidAt < silenceMs) return;
    saidAt = performance.now();
    log.warn({ signal, failures, reason: error?.message }, 'telemetry could not be exported');
  };
}
