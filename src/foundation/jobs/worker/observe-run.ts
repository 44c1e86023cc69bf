import type { Telemetry } from '../../telemetry/telemetry.ts';
import { parseTraceparent, withTrace } from '../../telemetry/trace-context.ts';
import type { ClaimedJobs } from '../claim/claimed-job.ts';

/** The outcome of a run in spans and metrics. `unrecorded`: it could not be stored in the database. */
export type RunOutcome = 'done' | 'retry' | 'dead' | 'released' | 'lease_lost' | 'unrecorded';

const failures: ReadonlySet<RunOutcome> = new Set(['retry', 'dead', 'lease_lost', 'unrecorded']);

/** Outcomes, from the most to the least severe. */
const worstFirst: readonly RunOutcome[] = ['unrecorded', 'lease_lost', 'dead', 'retry', 'released', 'done'];

/** Returns the most severe outcome, which is reported for a run whose jobs ended differently. */
export function worstOutcome(outcomes: readonly RunOutcome[]): RunOutcome {
  return worstFirst.find((outcome) => outcomes.includes(outcome)) ?? 'done';
}

/** Runs jobs in a span of the trace that enqueued the first of them, and records duration and outcome. */
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
