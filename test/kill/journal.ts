import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/*
 * The journal is one file that all processes append to: its order is the order of events, and its times are from one
 * clock. A run is one call of a handler. It is over when it has ended, when it gave up because its lease was lost, or
 * when its process was killed. The process that kills another records the kill once that process has exited.
 */

export type Line = StartLine | EndLine | KillLine;

interface StartLine {
  readonly what: 'start';
  readonly run: string;
  readonly pid: number;
  readonly lane: string;
  readonly fence: number;
  readonly jobs: readonly number[];
  /** Time of the machine's monotonic clock, in milliseconds. */
  readonly at: number;
}

interface EndLine {
  /** `done`: its effects are recorded; `failed`: it threw; `lost`: it lost its lease. */
  readonly what: 'done' | 'failed' | 'lost';
  readonly run: string;
  readonly at: number;
}

interface KillLine {
  readonly what: 'kill';
  readonly pid: number;
  readonly at: number;
}

export function writeLine(journal: string, line: Line): void {
  appendFileSync(journal, `${JSON.stringify(line)}\n`);
}

/** Reads the journal; ignores a line that a kill truncated. */
export async function readJournal(journal: string): Promise<readonly Line[]> {
  const lines = (await readFile(journal, 'utf8')).split('\n');
  return lines.flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Line] : []));
}

/** Returns the time of the monotonic clock that all processes of this machine share, in milliseconds. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** Returns the ids of the processes with a run that is not over. */
export function busyPids(lines: readonly Line[]): readonly number[] {
  const open = new Map<string, number>();
  const killed = new Set<number>();
  for (const line of lines) {
    if (line.what === 'start') open.set(line.run, line.pid);
    else if (line.what === 'kill') killed.add(line.pid);
    else open.delete(line.run);
  }
  return [...new Set(open.values())].filter((pid) => !killed.has(pid));
}

export interface JournalSummary {
  readonly runs: number;
  readonly executions: number;
  /** Starts in a lane whose previous run was not over. */
  readonly overlaps: readonly string[];
  /** Starts whose fence was not above that of the previous run by another worker. */
  readonly staleFences: readonly string[];
  /** Runs that detected the loss of their lease and recorded nothing. */
  readonly lostLeases: number;
  /** Kills of a worker that had a job in flight. */
  readonly killsInWork: number;
  /**
   * For each run that a kill ended: milliseconds until the next run in its lane; no entry if the lane had no more jobs.
   * If the fence rose by more than one, other workers claimed the lane and were killed before they started: the time is
   * then divided by the number of deaths.
   */
  readonly recoveries: readonly number[];
  /** Workers that claimed the lane of a killed worker and were killed before they started. */
  readonly diedBeforeStart: number;
}

interface Lane {
  open: StartLine | undefined;
  last: StartLine | undefined;
  killedAt: number | undefined;
}

/** Derives the summary from the journal alone. */
export function summarize(lines: readonly Line[]): JournalSummary {
  const gaveUp = new Set(lines.flatMap((line) => (line.what === 'lost' ? [line.run] : [])));
  const lanes = new Map<string, Lane>();
  const summary = {
    runs: 0,
    executions: 0,
    overlaps: [] as string[],
    staleFences: [] as string[],
    lostLeases: gaveUp.size,
    killsInWork: 0,
    recoveries: [] as number[],
    diedBeforeStart: 0,
  };
  for (const line of lines) {
    if (line.what === 'start') start(line, gaveUp, laneOf(lanes, line.lane), summary);
    else if (line.what === 'kill') kill(line, lanes, summary);
    else for (const lane of lanes.values()) if (lane.open?.run === line.run) lane.open = undefined;
  }
  return summary;
}

type Findings = { -readonly [Name in keyof JournalSummary]: JournalSummary[Name] } & {
  readonly overlaps: string[];
  readonly staleFences: string[];
  readonly recoveries: number[];
};

function laneOf(lanes: Map<string, Lane>, name: string): Lane {
  const lane = lanes.get(name) ?? { open: undefined, last: undefined, killedAt: undefined };
  lanes.set(name, lane);
  return lane;
}

function start(line: StartLine, gaveUp: ReadonlySet<string>, lane: Lane, findings: Findings): void {
  const where = `${line.lane}: run ${line.run} (fence ${line.fence})`;
  findings.runs += 1;
  findings.executions += line.jobs.length;
  // A run that lost its lease was paused beyond it: the next run was right to start, and the fence rejects its effects.
  if (lane.open !== undefined && !gaveUp.has(lane.open.run))
    findings.overlaps.push(`${where} began during run ${lane.open.run} (fence ${lane.open.fence})`);
  if (lane.last !== undefined && line.fence < lane.last.fence + (line.pid === lane.last.pid ? 0 : 1))
    findings.staleFences.push(`${where} came after fence ${lane.last.fence}`);
  if (lane.killedAt !== undefined && lane.last !== undefined) {
    const deaths = Math.max(1, line.fence - lane.last.fence);
    findings.recoveries.push((line.at - lane.killedAt) / deaths);
    findings.diedBeforeStart += deaths - 1;
  }
  Object.assign(lane, { open: line, last: line, killedAt: undefined });
}

function kill({ pid, at }: KillLine, lanes: Map<string, Lane>, findings: Findings): void {
  const hit = [...lanes.values()].filter(({ open }) => open?.pid === pid);
  if (hit.length > 0) findings.killsInWork += 1;
  for (const lane of hit) Object.assign(lane, { open: undefined, killedAt: at });
}
