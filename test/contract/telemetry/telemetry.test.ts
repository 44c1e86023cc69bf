import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type OpenTelemetry,
  openTelemetry,
  type TelemetryOptions,
} from '../../../src/foundation/telemetry/telemetry.ts';
import { currentTrace, nextSpan, withTrace } from '../../../src/foundation/telemetry/trace-context.ts';
import { inSpan } from '../../../src/foundation/telemetry/tracer.ts';
import { type OtlpCollector, startOtlpCollector } from '../../standins/otlp-collector.ts';

type Signal = 'traces' | 'logs' | 'metrics';

const secretValue = 'hush-0123456789abcdef';
const opened: OpenTelemetry[] = [];
let collector: OtlpCollector;

beforeEach(async () => {
  collector = await startOtlpCollector();
});
afterEach(async () => {
  for (const telemetry of opened.splice(0)) await telemetry.close();
  await collector.close();
});

async function telemetryWith(
  signals: readonly Signal[],
  options: Partial<TelemetryOptions> = {},
): Promise<OpenTelemetry & { readonly local: string[] }> {
  const local: string[] = [];
  const url = (signal: Signal) => (signals.includes(signal) ? collector.urls[signal] : undefined);
  const telemetry = await openTelemetry({
    config: {
      otlp: { traces: url('traces'), logs: url('logs'), metrics: url('metrics') },
      log: { level: 'info' },
    },
    role: 'serve',
    pretty: false,
    local: { write: (line: string) => void local.push(line) },
    flushMs: 5_000,
    ...options,
  });
  opened.push(telemetry);
  return { ...telemetry, local };
}

/** Emits one record of each signal. */
async function emitAll({ log, tracer, metrics }: OpenTelemetry): Promise<void> {
  log.info({ port: 3000 }, 'recorded');
  await inSpan(tracer, 'step', { kind: 'internal' }, async () => {});
  metrics.add('orgctx.job.leases_lost', 2, { how: 'run' });
  metrics.record('orgctx.job.duration', 0.5, { task: 'x' });
}

const messages = (lines: readonly string[]): unknown[] =>
  lines.map((line) => (JSON.parse(line) as { msg: unknown }).msg);

describe('the three endpoints', () => {
  it.each<Signal>(['traces', 'logs', 'metrics'])(
    'export only %s when only its endpoint is set',
    async (signal) => {
      const telemetry = await telemetryWith([signal]);
      await emitAll(telemetry);
      await telemetry.close();
      expect(collector.requests).toContain(`POST /in/${signal}?from=test`);
      expect(new Set(collector.requests).size).toBe(1);
      const counts = {
        traces: collector.spans.length,
        logs: collector.logs.length,
        metrics: collector.points.length,
      };
      expect(
        Object.entries(counts)
          .filter(([, count]) => count > 0)
          .map(([name]) => name),
      ).toEqual([signal]);
    },
  );

  it('receive each signal separately, exactly at the configured URL, with the service name', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics'], { role: 'worker' });
    await emitAll(telemetry);
    await telemetry.close();
    expect(collector.requests.toSorted()).toEqual([
      'POST /in/logs?from=test',
      'POST /in/metrics?from=test',
      'POST /in/traces?from=test',
    ]);
    const resources = [...collector.spans, ...collector.logs, ...collector.points].map(
      ({ resource }) => resource,
    );
    expect(resources).toHaveLength(4);
    for (const resource of resources) {
      expect(resource).toEqual(resources[0]);
      expect(resource).toMatchObject({
        'service.name': 'orgctx',
        'service.version': expect.stringMatching(/^\d+\.\d+/),
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'orgctx.role': 'worker',
      });
    }
  });

  it('export nothing when none is set', async () => {
    const telemetry = await telemetryWith([]);
    await emitAll(telemetry);
    await telemetry.close();
    expect(collector.requests).toEqual([]);
    expect(messages(telemetry.local)).toEqual(['recorded']);
  });
});

describe('logs over OTLP', () => {
  it('contain level, time, message, fields and the trace', async () => {
    const telemetry = await telemetryWith(['logs']);
    await withTrace(nextSpan(undefined), async () => {
      telemetry.log.warn({ repository: { id: 'r1', tags: ['a', 'b'] }, tries: 3 }, 'slow');
      await telemetry.close();
      expect(collector.logs).toMatchObject([
        {
          severity: 'warn',
          body: 'slow',
          attributes: { repository: { id: 'r1', tags: ['a', 'b'] }, tries: 3 },
          traceId: currentTrace()?.traceId,
          spanId: currentTrace()?.spanId,
        },
      ]);
    });
  });

  it('contain an error as an exception', async () => {
    const telemetry = await telemetryWith(['logs']);
    telemetry.log.error({ err: new TypeError('no such thing') }, 'failed');
    await telemetry.close();
    expect(collector.logs[0]?.attributes).toMatchObject({
      'exception.type': 'TypeError',
      'exception.message': 'no such thing',
      'exception.stacktrace': expect.stringContaining('telemetry.test.ts'),
    });
  });

  it('leave only the line that scripts wait for on standard output', async () => {
    const telemetry = await telemetryWith(['logs']);
    telemetry.log.info({ baseUrl: 'http://127.0.0.1:3000' }, 'listening');
    telemetry.log.info('and more');
    await telemetry.close();
    expect(collector.logs.map(({ body }) => body)).toEqual(['listening', 'and more']);
    expect(messages(telemetry.local)).toEqual(['listening']);
  });

  it('go to standard output completely when no logs endpoint is set', async () => {
    const telemetry = await telemetryWith(['traces', 'metrics']);
    telemetry.log.info('listening');
    telemetry.log.info('and more');
    await telemetry.close();
    expect(messages(telemetry.local)).toEqual(['listening', 'and more']);
    expect(collector.logs).toEqual([]);
  });
});

describe('a secret', () => {
  it('reaches no exporter: not in a field, a message, an error, a child logger, or an attribute of a span or a metric', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics']);
    const { log, tracer, metrics } = telemetry;
    log.info({ clientSecret: secretValue, headers: { authorization: `Bearer ${secretValue}` } }, 'fields');
    log
      .child({ token: secretValue })
      .info(`GET https://me:${secretValue}@git.example/?access_token=${secretValue}`);
    log.error({ err: new Error(`Bearer ${secretValue} refused`) }, 'failed');
    const secrets = { url: `https://git.example/?token=${secretValue}`, apiKey: secretValue };
    await inSpan(tracer, 'step', { kind: 'client', attributes: secrets }, async (span) => {
      span.set({ 'Tracker-Signature': secretValue });
    });
    metrics.add('orgctx.job.leases_lost', 1, secrets);
    metrics.observe(async () => [{ name: 'orgctx.queue.jobs', value: 1, attributes: secrets }]);
    await telemetry.close();
    expect(collector.logs).toHaveLength(3);
    expect(collector.spans).toHaveLength(1);
    expect(collector.points).toHaveLength(2);
    expect(collector.text).toContain('[redacted]');
    expect(collector.text).not.toContain(secretValue);
    expect(telemetry.local.join('')).not.toContain(secretValue);
  });
});

describe('spans', () => {
  it('are children of each other and of the incoming span, and name an error without its message', async () => {
    const telemetry = await telemetryWith(['traces']);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const failing = inSpan(
      telemetry.tracer,
      'outer',
      { kind: 'server', parent: { traceId, spanId: 'b7ad6b7169203331', sampled: true } },
      () =>
        inSpan(telemetry.tracer, 'inner', { kind: 'client' }, async () => {
          throw new TypeError(secretValue);
        }),
    );
    await expect(failing).rejects.toThrow(secretValue);
    await telemetry.close();
    const [inner, outer] = collector.spans;
    expect(outer).toMatchObject({ name: 'outer', traceId, parentSpanId: 'b7ad6b7169203331', status: 2 });
    expect(inner).toMatchObject({ name: 'inner', traceId, parentSpanId: outer?.spanId });
    expect(inner?.attributes).toEqual({ 'error.type': 'TypeError' });
    expect(collector.text).not.toContain(secretValue);
  });

  it('of a trace that its caller does not sample are not sent', async () => {
    const telemetry = await telemetryWith(['traces']);
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false };
    const span = telemetry.tracer.start('unwanted', { kind: 'server', parent });
    span.end();
    expect(span.context).toMatchObject({ traceId: parent.traceId, sampled: false });
    await telemetry.close();
    expect(collector.requests).toEqual([]);
  });
});

describe('metrics', () => {
  it('are exported with their unit, both counted and observed', async () => {
    const telemetry = await telemetryWith(['metrics']);
    await emitAll(telemetry);
    telemetry.metrics.observe(async () => [
      { name: 'orgctx.queue.jobs', value: 7, attributes: { state: 'ready' } },
    ]);
    await telemetry.close();
    const points = collector.points.map(({ name, unit, value, attributes }) => ({
      name,
      unit,
      value,
      attributes,
    }));
    expect(points).toEqual(
      expect.arrayContaining([
        { name: 'orgctx.job.duration', unit: 's', value: 1, attributes: { task: 'x' } },
        {
          name: 'orgctx.job.leases_lost',
          unit: '{lease}',
          value: 2,
          attributes: { how: 'run' },
        },
        { name: 'orgctx.queue.jobs', unit: '{job}', value: 7, attributes: { state: 'ready' } },
      ]),
    );
  });

  it('that cannot be read affect no others and are named in the log', async () => {
    const telemetry = await telemetryWith(['metrics']);
    await emitAll(telemetry);
    telemetry.metrics.observe(async () => {
      throw new Error('the database is away');
    });
    await telemetry.close();
    expect(collector.points.map(({ name }) => name)).toContain('orgctx.job.duration');
    expect(messages(telemetry.local)).toEqual(['recorded', 'gauges could not be read']);
  });
});

describe('a collector that rejects data', () => {
  it('loses no log line: rejected lines are written to standard output', async () => {
    collector.behaviour = { kind: 'fail', status: 400 };
    const telemetry = await telemetryWith(['logs']);
    telemetry.log.info('kept');
    await telemetry.close();
    expect(messages(telemetry.local)).toEqual(['telemetry could not be exported', 'kept']);
    expect(collector.logs).toEqual([]);
  });

  it('is logged once a minute, not once per batch', async () => {
    collector.behaviour = { kind: 'fail', status: 400 };
    const telemetry = await telemetryWith(['metrics'], { metricsEveryMs: 20 });
    telemetry.metrics.add('orgctx.job.leases_lost', 1);
    await expect.poll(() => collector.requests.length).toBeGreaterThan(5);
    const warned = telemetry.local.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(warned).toMatchObject([
      { level: 'warn', signal: 'metrics', msg: 'telemetry could not be exported' },
    ]);
  });

  it('is logged again when it has recovered', async () => {
    collector.behaviour = { kind: 'fail', status: 400 };
    const telemetry = await telemetryWith(['metrics'], { metricsEveryMs: 20 });
    telemetry.metrics.add('orgctx.job.leases_lost', 1);
    await expect.poll(() => telemetry.local.length).toBe(1);
    collector.behaviour = { kind: 'well' };
    await expect.poll(() => messages(telemetry.local)).toContain('telemetry is exported again');
  });

  it('is retried on its request, and nothing is lost', async () => {
    collector.behaviour = { kind: 'fail', status: 503 };
    const telemetry = await telemetryWith(['traces'], { flushMs: 9_000 });
    await inSpan(telemetry.tracer, 'kept', { kind: 'internal' }, async () => {});
    const closing = telemetry.close();
    await expect.poll(() => collector.requests.length).toBeGreaterThan(0);
    collector.behaviour = { kind: 'well' };
    await closing;
    expect(collector.spans.map(({ name }) => name)).toEqual(['kept']);
  });
});

describe('a collector that hangs', () => {
  beforeEach(() => {
    collector.behaviour = { kind: 'hang' };
  });

  it('does not delay shutdown beyond the flush time-out', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics'], { flushMs: 300 });
    await emitAll(telemetry);
    const started = performance.now();
    await telemetry.close();
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('leaves a limited number of lines pending; the others go to standard output at once', async () => {
    const telemetry = await telemetryWith(['logs'], { flushMs: 100 });
    for (let line = 0; line < 5_000; line += 1) telemetry.log.info({ line }, 'many');
    expect(telemetry.local).toHaveLength(5_000 - 2_048);
  });

  it('does not delay logging, metrics or traces', async () => {
    const cpuOfEmitting = async (): Promise<number> => {
      const telemetry = await telemetryWith(['traces', 'logs', 'metrics'], { flushMs: 100 });
      const started = process.threadCpuUsage();
      for (let round = 0; round < 3_000; round += 1) await emitAll(telemetry);
      const { user, system } = process.threadCpuUsage(started);
      return user + system;
    };
    collector.behaviour = { kind: 'well' };
    const answering = await cpuOfEmitting();
    collector.behaviour = { kind: 'hang' };
    expect(await cpuOfEmitting()).toBeLessThan(2 * answering);
  });
});
