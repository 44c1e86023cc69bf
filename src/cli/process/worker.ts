import { notifyParent, startHeartbeat, untilStopped } from '../../app/processes/process-life.ts';
import { startWorker } from '../../app/processes/worker.ts';
import { defineCommand } from '../frame/command.ts';
import { hostFlags, loadHostConfig } from '../host/host-flags.ts';
import { withTelemetry } from '../host/with-telemetry.ts';

/**
 * Time for running jobs to finish before they are aborted and returned to the queue, in milliseconds. With a second
 * for that, and the time of the exporters, it stays below the 9 s after which the server kills its worker.
 */
const graceMs = 7_000;

export const workerCommand = defineCommand({
  description:
    'Runs background jobs: cloning, indexing, removal, commits to context repositories, deletion of old deliveries. ' +
    '"orgctx serve" starts one worker; start more with the same data folder to share the work.',
  flags: hostFlags,
  async run({ flags }, context) {
    const settings = loadHostConfig(context, flags);
    await withTelemetry('worker', settings, context.terminal, async (telemetry) => {
      const { log } = telemetry;
      const worker = await startWorker(settings, log, { telemetry });
      const stopHeartbeat = startHeartbeat();
      notifyParent({ type: 'ready' });
      log.info('working');
      await untilStopped(context.signal);
      await worker.stop(graceMs);
      stopHeartbeat();
      log.info('stopped');
    });
    return undefined;
  },
});
