import {
  endWithParent,
  notifyParent,
  ownProgram,
  startHeartbeat,
  untilStopped,
} from '../../app/processes/process-life.ts';
import { aloneVariable } from '../../app/processes/run-alone.ts';
import { runSentJob, startWorker } from '../../app/processes/worker.ts';
import { defineCommand } from '../frame/command.ts';
import { hostFlags, hostFlagWords, loadHostConfig } from '../host/host-flags.ts';
import { withTelemetry } from '../host/with-telemetry.ts';

function ready(): void {
  notifyParent({ type: 'ready' });
}

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
      const stopHeartbeat = startHeartbeat();
      const parentPid = context.env[aloneVariable];
      if (parentPid !== undefined) {
        endWithParent(Number(parentPid));
        await runSentJob(settings, log, { telemetry, ready, stopped: untilStopped(context.signal) });
        stopHeartbeat();
        if (process.connected) process.disconnect();
        return;
      }
      const alone = { program: ownProgram(), args: ['worker', ...hostFlagWords(settings)] };
      const worker = await startWorker(settings, log, { telemetry, alone });
      ready();
      log.info('working');
      await untilStopped(context.signal);
      await worker.stop(graceMs);
      stopHeartbeat();
      log.info('stopped');
    });
    return undefined;
  },
});
