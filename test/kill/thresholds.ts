import type { KillOptions, Outcome } from './kill-workers.ts';

/** One line of the table; `broken` is true if the figure misses its threshold. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly threshold: string;
  readonly broken: boolean;
}

/** Maximum median of the times from the death of a worker to the next run in its lane, in lease durations. */
const maxMedianRecovery = 1.5;

interface Limits extends Pick<KillOptions, 'kills' | 'leaseMs'> {
  /** Maximum of the longest of these times, in lease durations. Default: that of the median. */
  readonly maxRecovery?: number;
}

export function figures(
  outcome: Outcome,
  { kills, leaseMs, maxRecovery = maxMedianRecovery }: Limits,
): readonly Figure[] {
  const { recoveries } = outcome;
  return [
    atLeast('kills', outcome.kills, kills),
    atLeast('kills of a worker with a job in flight', outcome.killsInWork, kills / 4),
    plain('jobs enqueued', outcome.enqueued),
    atLeast('jobs done', outcome.done, outcome.enqueued),
    plain('runs', outcome.runs),
    plain('executions', outcome.executions),
    none('jobs lost', outcome.lost.length),
    none('lane overlaps', outcome.overlaps.length),
    none('starts with a stale fence', outcome.staleFences.length),
    none('effects with a stale fence', outcome.staleEffects),
    plain('runs that noticed a lost lease and recorded nothing', outcome.lostLeases),
    plain('deaths between claiming a lane and starting', outcome.diedBeforeStart),
    atMost('recovery p50, ms', percentile(recoveries, 0.5), maxMedianRecovery * leaseMs),
    plain('recovery p95, ms', percentile(recoveries, 0.95)),
    atMost('recovery max, ms', percentile(recoveries, 1), maxRecovery * leaseMs),
    plain('lease, ms', leaseMs),
    plain('duration, s', outcome.seconds),
  ];
}

function plain(name: string, value: number): Figure {
  return { name, value: format(value), threshold: '', broken: false };
}

function none(name: string, value: number): Figure {
  return { name, value: format(value), threshold: '0', broken: value !== 0 };
}

function atLeast(name: string, value: number, threshold: number): Figure {
  return { name, value: format(value), threshold: `>= ${format(threshold)}`, broken: !(value >= threshold) };
}

function atMost(name: string, value: number, threshold: number): Figure {
  return { name, value: format(value), threshold: `<= ${format(threshold)}`, broken: !(value <= threshold) };
}

function format(value: number): string {
  return String(Math.round(value));
}

/** Returns NaN for an empty list, which misses every threshold. */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}
