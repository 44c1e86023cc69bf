import type { Attributes } from './tracer.ts';

interface Instrument {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** Unit in UCUM notation. */
  readonly unit: string;
  readonly description: string;
  /** Upper bounds of the histogram buckets, in its unit. */
  readonly buckets?: readonly number[];
}

/** Buckets of the OpenTelemetry semantic conventions for http.server.request.duration. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const jobSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

/** All metrics of the program. Attributes have few distinct values: a task, a state, an outcome. */
export const instruments = {
  'http.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'requests answered, by method, route and status',
    buckets: requestSeconds,
  },
  'orgctx.job.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'runs of jobs, by task and outcome (done, retry, dead, released, lease_lost, unrecorded)',
    buckets: jobSeconds,
  },
  'orgctx.job.leases_lost': {
    kind: 'counter',
    unit: '{lease}',
    description:
      'leases lost, by how: a run that lost its own (run), jobs of a lost worker taken back (reaped)',
  },
  'orgctx.queue.jobs': { kind: 'gauge', unit: '{job}', description: 'jobs in the queue, by state' },
  'orgctx.queue.oldest_due': {
    kind: 'gauge',
    unit: 's',
    description:
      'how long the oldest job that is due has been waiting, behind another one of its lane or for want of a worker',
  },
  'orgctx.intake.deliveries': {
    kind: 'counter',
    unit: '{delivery}',
    description:
      'webhook deliveries, by source and outcome (accepted, duplicate, ignored, rejected, overloaded, failed)',
  },
  'orgctx.intake.batch_size': {
    kind: 'histogram',
    unit: '{delivery}',
    description: 'deliveries in one transaction',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  'orgctx.intake.held': {
    kind: 'gauge',
    unit: 'By',
    description: 'bodies of webhooks in memory, read in part or not yet verified',
  },
  'orgctx.database.wal': { kind: 'gauge', unit: 'By', description: "size of SQLite's write-ahead log" },
  'orgctx.repositories': { kind: 'gauge', unit: '{repository}', description: 'repositories, by state' },
  'orgctx.index.lag': {
    kind: 'gauge',
    unit: 's',
    description: 'how long the repository that waits longest has stood queued, cloning or indexing',
  },
} as const satisfies Readonly<Record<string, Instrument>>;

type Name<Kind extends Instrument['kind']> = {
  [Key in keyof typeof instruments]: (typeof instruments)[Key]['kind'] extends Kind ? Key : never;
}[keyof typeof instruments];

export interface GaugeReading {
  readonly name: Name<'gauge'>;
  readonly value: number;
  readonly attributes?: Attributes;
}

/** The port of metrics. Does nothing without an endpoint. Its methods never throw. */
export interface Metrics {
  readonly recording: boolean;
  add(name: Name<'counter'>, value: number, attributes?: Attributes): void;
  record(name: Name<'histogram'>, value: number, attributes?: Attributes): void;
  /**
   * Registers a source of gauges. `read` is called only before each export, once a minute, so its queries run only
   * then; an error is logged. The returned function reads once more for the final export. Call it before closing what
   * `read` depends on.
   */
  observe(read: () => Promise<readonly GaugeReading[]>): () => Promise<void>;
}

export const metricsOff: Metrics = {
  recording: false,
  add: () => {},
  record: () => {},
  observe: () => async () => {},
};
