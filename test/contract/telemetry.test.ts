import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type OpenTelemetry,
  openTelemetry,
  type TelemetryOptions,
} from '../../src/foundation/telemetry/telemetry.ts';
import { currentTrace, nextSpan, withTrace } from '../../src/foundation/telemetry/trace-context.ts';
import { inSpan } from '../../src/foundation/telemetry/tracer.ts';
import { type OtlpCollector, startOtlpCollector } from '../standins/otlp-collector.ts';

type Signal = 'traces' | 'logs' | 'metrics';

const hush = 'hush-0123456789abcdef';
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

/** One of each signal. */
async function tellAll({ log, tracer, metrics }: OpenTelemetry): Promise<void> {
  log.info({ port: 3000 }, 'told');
  await inSpan(tracer, 'step', { kind: 'internal' }, async () => {});
  metrics.add('orgctx.job.leases_lost', 2, { how: 'run' });
  metrics.record('orgctx.job.duration', 0.5, { task: 'x' });
}

const messages = (lines: readonly string[]): unknown[] =>
  lines.map((line) => (JSON.parse(line) as { msg: unknown }).msg);

describe('the three endpoints', () => {
  it.each<Signal>(['traces', 'logs', 'metrics'])(
    'send %s alone where only its own is set',
    async (signal) => {
      const telemetry = await telemetryWith([signal]);
      await tellAll(telemetry);
      await telemetry.close();
      expect(collector.requests).toContain(`POST /in/${signal}?from=test`);
      expect(new Set(collector.requests).size).toBe(1);
      const told = {
        traces: collector.spans.length,
        logs: collector.logs.length,
        metrics: collector.points.length,
      };
      expect(
        Object.entries(told)
          .filter(([, count]) => count > 0)
          .map(([name]) => name),
      ).toEqual([signal]);
    },
  );

  it('send each signal to its own, exactly as the URL is written, with who speaks', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics'], { role: 'worker' });
    await tellAll(telemetry);
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

  it('send nothing where none is set', async () => {
    const telemetry = await telemetryWith([]);
    await tellAll(telemetry);
    await telemetry.close();
    expect(collector.requests).toEqual([]);
    expect(messages(telemetry.local)).toEqual(['told']);
  });
});

describe('logs over OTLP', () => {
  it('carry level, time, message, fields and the trace', async () => {
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

  it('carry an error as an exception', async () => {
    const telemetry = await telemetryWith(['logs']);
    telemetry.log.error({ err: new TypeError('no such thing') }, 'failed');
    await telemetry.close();
    expect(collector.logs[0]?.attributes).toMatchObject({
      'exception.type': 'TypeError',
      'exception.message': 'no such thing',
      'exception.stacktrace': expect.stringContaining('telemetry.test.ts'),
    });
  });

  it('leave standard output to the line that scripts wait for', async () => {
    const telemetry = await telemetryWith(['logs']);
    telemetry.log.info({ baseUrl: 'http://127.0.0.1:3000' }, 'listening');
    telemetry.log.info('and more');
    await telemetry.close();
    expect(collector.logs.map(({ body }) => body)).toEqual(['listening', 'and more']);
    expect(messages(telemetry.local)).toEqual(['listening']);
  });

  it('go to standard output, every line, where no logs endpoint is set', async () => {
    const telemetry = await telemetryWith(['traces', 'metrics']);
    telemetry.log.info('listening');
    telemetry.log.info('and more');
    await telemetry.close();
    expect(messages(telemetry.local)).toEqual(['listening', 'and more']);
    expect(collector.logs).toEqual([]);
  });
});

describe('a secret', () => {
  it('reaches no exporter: not in a field, a message, an error, a child, an attribute of a span or of a number', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics']);
    const { log, tracer, metrics } = telemetry;
    log.info({ clientSecret: hush, headers: { authorization: `Bearer ${hush}` } }, 'fields');
    log.child({ token: hush }).info(`GET https://me:${hush}@git.example/?access_token=${hush}`);
    log.error({ err: new Error(`Bearer ${hush} refused`) }, 'failed');
    const secrets = { url: `https://git.example/?token=${hush}`, apiKey: hush };
    await inSpan(tracer, 'step', { kind: 'client', attributes: secrets }, async (span) => {
      span.set({ 'Tracker-Signature': hush });
    });
    metrics.add('orgctx.job.leases_lost', 1, secrets);
    metrics.observe(async () => [{ name: 'orgctx.queue.jobs', value: 1, attributes: secrets }]);
    await telemetry.close();
    expect(collector.logs).toHaveLength(3);
    expect(collector.spans).toHaveLength(1);
    expect(collector.points).toHaveLength(2);
    expect(collector.text).toContain('[redacted]');
    expect(collector.text).not.toContain(hush);
    expect(telemetry.local.join('')).not.toContain(hush);
  });
});

describe('spans', () => {
  it('lie below each other and below what came in, and say what went wrong without its words', async () => {
    const telemetry = await telemetryWith(['traces']);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const failing = inSpan(
      telemetry.tracer,
      'outer',
      { kind: 'server', parent: { traceId, spanId: 'b7ad6b7169203331', sampled: true } },
      () =>
        inSpan(telemetry.tracer, 'inner', { kind: 'client' }, async () => {
          throw new TypeError(hush);
        }),
    );
    await expect(failing).rejects.toThrow(hush);
    await telemetry.close();
    const [inner, outer] = collector.spans;
    expect(outer).toMatchObject({ name: 'outer', traceId, parentSpanId: 'b7ad6b7169203331', status: 2 });
    expect(inner).toMatchObject({ name: 'inner', traceId, parentSpanId: outer?.spanId });
    expect(inner?.attributes).toEqual({ 'error.type': 'TypeError' });
    expect(collector.text).not.toContain(hush);
  });

  it('of a trace that its beginner does not want are not sent', async () => {
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
  it('arrive with their unit, counted and read', async () => {
    const telemetry = await telemetryWith(['metrics']);
    await tellAll(telemetry);
    telemetry.metrics.observe(async () => [
      { name: 'orgctx.queue.jobs', value: 7, attributes: { state: 'ready' } },
    ]);
    await telemetry.close();
    const told = collector.points.map(({ name, unit, value, attributes }) => ({
      name,
      unit,
      value,
      attributes,
    }));
    expect(told).toEqual(
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

  it('that cannot be read cost nothing but themselves, and are named in the log', async () => {
    const telemetry = await telemetryWith(['metrics']);
    await tellAll(telemetry);
    telemetry.metrics.observe(async () => {
      throw new Error('the database is away');
    });
    await telemetry.close();
    expect(collector.points.map(({ name }) => name)).toContain('orgctx.job.duration');
    expect(messages(telemetry.local)).toEqual(['told', 'gauges could not be read']);
  });
});

describe('a collector that takes nothing', () => {
  it('costs no log line: what it does not take is written to standard output', async () => {
    collector.behaviour = { kind: 'fail', status: 400 };
    const telemetry = await telemetryWith(['logs']);
    telemetry.log.info('kept');
    await telemetry.close();
    expect(messages(telemetry.local)).toEqual(['telemetry could not be exported', 'kept']);
    expect(collector.logs).toEqual([]);
  });

  it('is named once a minute, not once a batch', async () => {
    collector.behaviour = { kind: 'fail', status: 400 };
    const telemetry = await telemetryWith(['metrics'], { metricsEveryMs: 20 });
    telemetry.metrics.add('orgctx.job.leases_lost', 1);
    await expect.poll(() => collector.requests.length).toBeGreaterThan(5);
    const warned = telemetry.local.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(warned).toMatchObject([
      { level: 'warn', signal: 'metrics', msg: 'telemetry could not be exported' },
    ]);
  });

  it('is named again when it takes data again', async () => {
    collector.behaviour = { kind: 'fail', status: 400 };
    const telemetry = await telemetryWith(['metrics'], { metricsEveryMs: 20 });
    telemetry.metrics.add('orgctx.job.leases_lost', 1);
    await expect.poll(() => telemetry.local.length).toBe(1);
    collector.behaviour = { kind: 'well' };
    await expect.poll(() => messages(telemetry.local)).toContain('telemetry is exported again');
  });

  it('is tried again where it asks for that, and nothing is lost', async () => {
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

  it('holds an orderly end up no longer than the flush may take', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics'], { flushMs: 300 });
    await tellAll(telemetry);
    const started = performance.now();
    await telemetry.close();
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('lets no more than a bounded number of lines wait: the others go to standard output at once', async () => {
    const telemetry = await telemetryWith(['logs'], { flushMs: 100 });
    for (let line = 0; line < 5_000; line += 1) telemetry.log.info({ line }, 'many');
    expect(telemetry.local).toHaveLength(5_000 - 2_048);
  });

  it('slows nobody who logs, counts or traces', async () => {
    const telemetry = await telemetryWith(['traces', 'logs', 'metrics'], { flushMs: 100 });
    const started = performance.now();
    for (let round = 0; round < 3_000; round += 1) await tellAll(telemetry);
    const eachMs = (performance.now() - started) / 3_000;
    await sleep(0);
    expect(eachMs).toBeLessThan(1);
  });
});
