import { startHeartbeat, tellStarter, untilStopped } from '../app/process-life.ts';
import { startWorker } from '../app/worker.ts';
import { defineCommand } from './frame/command.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';
import { warnIneffective } from './warn-ineffective.ts';
import { withTelemetry } from './with-telemetry.ts';

/**
 * Running jobs may take this long to end before they are aborted and go back to the queue. With a second for that, and
 * what the exporters get, it stays below the 9 s after which the server kills its worker.
 */
const graceMs = 7_000;

export const workerCommand = defineCommand({
  description:
    'Runs background jobs: clones, indexing, removal, commits to context repositories, deletion of old deliveries. ' +
    '`orgctx serve` starts one by itself; start more, with the same data folder, to share the work.',
  flags: hostFlags,
  async run({ flags }, context) {
    const settings = loadHostConfig(context, flags);
    await withTelemetry('worker', settings, context.terminal, async (telemetry) => {
      const { log } = telemetry;
      const worker = await startWorker(settings, log, { telemetry });
      const stopHeartbeat = startHeartbeat();
      tellStarter({ type: 'ready' });
      log.info('working');
      warnIneffective(settings, log);
      await untilStopped(context.signal);
      await worker.stop(graceMs);
      stopHeartbeat();
      log.info('stopped');
    });
    return undefined;
  },
});
