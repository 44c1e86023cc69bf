import type { KillOptions, Outcome } from './kill-workers.ts';

/** One line of the table; `broken` when the figure is not within its bar. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly bar: string;
  readonly broken: boolean;
}

/** Leases, from a death to the next run. */
const longestRecovery = 1.5;

export function figures(outcome: Outcome, { kills, leaseMs }: KillOptions): readonly Figure[] {
  const { recoveries } = outcome;
  return [
    atLeast('kills', outcome.kills, kills),
    atLeast('kills of a worker with work in hand', outcome.killsInWork, kills / 4),
    plain('jobs enqueued', outcome.enqueued),
    atLeast('jobs done', outcome.done, outcome.enqueued),
    plain('runs', outcome.runs),
    plain('executions', outcome.executions),
    none('jobs lost', outcome.lost.length),
    none('lane overlaps', outcome.overlaps.length),
    none('starts with a stale fence', outcome.staleFences.length),
    none('effects with a stale fence', outcome.staleEffects),
    plain('runs that noticed a lost lease and recorded nothing', outcome.lostLeases),
    plain('deaths between taking a lane and beginning', outcome.diedBeforeStart),
    plain('recovery p50, ms', percentile(recoveries, 0.5)),
    plain('recovery p95, ms', percentile(recoveries, 0.95)),
    atMost('recovery max, ms', percentile(recoveries, 1), longestRecovery * leaseMs),
    plain('lease, ms', leaseMs),
    plain('duration, s', outcome.seconds),
  ];
}

function plain(name: string, value: number): Figure {
  return { name, value: shown(value), bar: '', broken: false };
}

function none(name: string, value: number): Figure {
  return { name, value: shown(value), bar: '0', broken: value !== 0 };
}

function atLeast(name: string, value: number, bar: number): Figure {
  return { name, value: shown(value), bar: `>= ${shown(bar)}`, broken: !(value >= bar) };
}

function atMost(name: string, value: number, bar: number): Figure {
  return { name, value: shown(value), bar: `<= ${shown(bar)}`, broken: !(value <= bar) };
}

function shown(value: number): string {
  return String(Math.round(value));
}

/** NaN of nothing, which no bar lets pass. */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}
