declare module '../db/tables.ts' {
  interface Tables {
    jobs: JobRow;
    lanes: LaneRow;
    schedules: ScheduleRow;
    workers: WorkerRow;
  }
}

/** A job of the queue. A ready job is pending, a running one is leased, a dead one has used up its attempts. */
export interface JobRow {
  id: string;
  task: string;
  /**
   * Coalesces: at most one ready row per (task, key). A running row does not count, so an edit during a run is kept.
   */
  key: string | null;
  /** Serializes: the jobs of a lane run one at a time in the whole deployment. */
  lane: string | null;
  /** Higher priorities run first. */
  priority: number;
  payload: string;
  state: 'ready' | 'running' | 'dead';
  /** Time from which it may run; for a dead job the time at which it was given up. */
  run_at: number;
  attempts: number;
  max_attempts: number;
  lease_token: string | null;
  lease_until: number | null;
  last_error: string | null;
  /**
   * Null for a job that may run beside others. Otherwise it is a suspect, because its worker was lost while it ran: it
   * runs alone in a process. The number says how often a process ended while this job ran alone in it. A dead suspect
   * makes the next job of its task and key a suspect too.
   */
  lost_alone: number | null;
  /** W3C traceparent of the request that enqueued the job. */
  trace_context: string | null;
  created_at: number;
}

interface LaneRow {
  lane: string;
  lease_token: string | null;
  lease_until: number | null;
  /** Incremented by each acquisition. Checked before each effect outside the database. */
  fence: number;
}

/** The last time for which a cron task was enqueued, so that several workers enqueue each time once. */
interface ScheduleRow {
  name: string;
  /** The time at which it was due, in milliseconds since the epoch. */
  last_slot: number;
}

/**
 * A worker process. Its row is removed when it stops; a worker that was killed leaves a row that is no longer updated.
 */
interface WorkerRow {
  id: string;
  host: string;
  pid: number;
  version: string;
  started_at: number;
  /** Time of its last heartbeat, by the clock of the queue. */
  seen_at: number;
}
