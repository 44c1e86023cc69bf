import type { Telemetry } from '../telemetry/telemetry.ts';
import { parseTraceparent, withTrace } from '../telemetry/trace-context.ts';
import type { ClaimedJobs } from './claimed-job.ts';

/** How a run ended, as spans and metrics say it. `unrecorded`: the database did not take it. */
export type RunOutcome = 'done' | 'retry' | 'dead' | 'given_back' | 'lease_lost' | 'unrecorded';

const failures: ReadonlySet<RunOutcome> = new Set(['retry', 'dead', 'lease_lost', 'unrecorded']);

/** From the one that asks most for a look to the one that asks least. */
const worstFirst: readonly RunOutcome[] = ['unrecorded', 'lease_lost', 'dead', 'retry', 'given_back', 'done'];

/** What is told of a run whose jobs ended differently. */
export function worstOutcome(outcomes: readonly RunOutcome[]): RunOutcome {
  return worstFirst.find((outcome) => outcomes.includes(outcome)) ?? 'done';
}

/** Runs jobs as a step of the trace that enqueued the first, and tells how long it took and how it ended. */
export async function observeRun(
  { tracer, metrics }: Pick<Telemetry, 'tracer' | 'metrics'>,
  [job, ...others]: ClaimedJobs,
  run: () => Promise<RunOutcome>,
): Promise<void> {
  const started = performance.now();
  const span = tracer.start(`job ${job.task}`, {
    kind: 'consumer',
    parent: parseTraceparent(job.trace_context) ?? null,
    attributes: {
      'orgctx.task': job.task,
      'orgctx.job.id': job.id,
      'orgctx.job.attempt': job.attempts,
      'orgctx.job.batch': others.length + 1,
    },
  });
  const outcome = await withTrace(span.context, run);
  span.set({ 'orgctx.job.outcome': outcome });
  if (failures.has(outcome)) span.fail(outcome);
  span.end();
  metrics.record('orgctx.job.duration', (performance.now() - started) / 1_000, {
    task: job.task,
    outcome,
  });
  if (outcome === 'lease_lost') metrics.add('orgctx.job.leases_lost', 1, { how: 'run' });
}
