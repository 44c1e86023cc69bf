import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OtlpCollector, startOtlpCollector } from '../standins/otlp-collector.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { orgctx, start } from '../support/program/program.ts';
import { recordingModules } from '../support/run/record-modules.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Signal = 'traces' | 'logs' | 'metrics';
const signals: readonly Signal[] = ['traces', 'logs', 'metrics'];

const started: ReturnType<typeof start>[] = [];
let collector: OtlpCollector;

beforeEach(async () => {
  collector = await startOtlpCollector();
});
afterEach(async () => {
  for (const program of started.splice(0)) await program.stop('SIGKILL');
  await collector.close();
});

function endpoints(wanted: readonly Signal[], urls = collector.urls): Record<string, string> {
  return Object.fromEntries(
    wanted.map((signal) => [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`, urls[signal]]),
  );
}

/** Starts `serve` and waits until it listens. */
async function serving(flags: readonly string[], env: Record<string, string>, dataDir = temporaryFolder()) {
  const serve = start(['serve', ...flags, '--port', '0', '--data-dir', dataDir], { env });
  started.push(serve);
  const lines = await serve.line((text) => text.includes('"listening"'));
  const first = JSON.parse(lines.split('\n')[0] ?? '') as { msg: string; baseUrl: string };
  expect(first.msg).toBe('listening');
  return { ...serve, baseUrl: first.baseUrl };
}

const messages = (stdout: string): readonly unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);

describe('the loaded modules', () => {
  const exportersLoaded = async (
    wanted: readonly Signal[],
    flags: readonly string[],
  ): Promise<{ exporters: readonly string[]; modules: string }> => {
    const journal = join(temporaryFolder(), 'modules');
    const serve = await serving(flags, { ...endpoints(wanted), ...recordingModules(journal) });
    if (flags.length === 0) await serve.line((text) => text.includes('"worker ready"'));
    expect(await serve.stop()).toBe(0);
    const modules = readFileSync(journal, 'utf8');
    const found = modules.matchAll(/@opentelemetry\/exporter-(\w+)-otlp-http/g);
    return { exporters: [...new Set([...found].map(([, name]) => name ?? ''))], modules };
  };

  it('include nothing of OpenTelemetry without an endpoint, in the server and its worker', async () => {
    const { modules } = await exportersLoaded([], []);
    expect(modules).toContain('fastify');
    expect(modules).not.toContain('opentelemetry');
  });

  it.each([
    ['traces', 'trace'],
    ['logs', 'logs'],
    ['metrics', 'metrics'],
  ] as const)('include only the exporter of %s if only its endpoint is set', async (signal, exporter) => {
    expect((await exportersLoaded([signal], ['--no-worker'])).exporters).toEqual([exporter]);
  });
});

describe('orgctx serve with a collector', () => {
  it('traces a repository from the request to the index, in one trace over both processes', async () => {
    const dataDir = temporaryFolder();
    const host = ['--email', 'ada@example.com', '--data-dir', dataDir];
    await orgctx(['admin', 'create', '--org', 'acme', ...host]);
    const made = await orgctx(['admin', 'key', 'create', '--name', 'test', '--json', ...host]);
    const { apiKey } = JSON.parse(made.stdout) as { apiKey: string };
    const env = { ...endpoints(signals), ALLOW_LOCAL_REPOSITORIES: 'true' };
    const serve = await serving([], env, dataDir);
    const source = createRepository({ 'a.md': '# Words\n' });
    const traceId = 'c'.repeat(32);
    const added = await fetch(`${serve.baseUrl}/acme/api/v1/repositories`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${'d'.repeat(16)}-01`,
      },
      body: JSON.stringify({ source: source.folder }),
    });
    expect(added.status).toBe(201);
    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
    await expect.poll(() => ofTrace().length).toBeGreaterThanOrEqual(3);
    expect(await serve.stop()).toBe(0);

    const spans = new Map(ofTrace().map((span) => [span.name, span]));
    const [request, clone, index] = [
      'POST /:orgSlug/api/v1/repositories',
      'job repository-clone',
      'job repository-index',
    ].map((name) => spans.get(name));
    expect(request).toMatchObject({ parentSpanId: 'd'.repeat(16), resource: { 'orgctx.role': 'serve' } });
    expect(clone).toMatchObject({ parentSpanId: request?.spanId, resource: { 'orgctx.role': 'worker' } });
    expect(index).toMatchObject({
      parentSpanId: clone?.spanId,
      attributes: { 'orgctx.job.outcome': 'done' },
    });
    expect(collector.logs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ body: 'request', traceId, spanId: request?.spanId }),
        expect.objectContaining({ body: 'job done', traceId, spanId: index?.spanId }),
        expect.objectContaining({
          body: 'stopped',
          resource: expect.objectContaining({ 'orgctx.role': 'worker' }),
        }),
      ]),
    );
    const points = collector.points.map(({ name, resource }) => `${String(resource['orgctx.role'])} ${name}`);
    expect(points).toEqual(
      expect.arrayContaining([
        'serve http.server.request.duration',
        'serve orgctx.queue.jobs',
        'serve orgctx.queue.oldest_due',
        'serve orgctx.repositories',
        'serve orgctx.index.lag',
        'serve orgctx.database.wal',
        'serve orgctx.intake.held',
        'worker orgctx.job.duration',
      ]),
    );
    expect(messages(serve.output.stdout)).toEqual(['listening']);
    expect(collector.text).not.toContain(apiKey);
  });
});

describe('orgctx serve with a collector that fails', () => {
  it.each(['hangs', 'is not there'])(
    'because it %s: still responds, stops in time, and logs to stdout',
    async (how) => {
      collector.behaviour = { kind: 'hang' };
      const urls = collector.urls;
      if (how === 'is not there') await collector.close();
      const serve = await serving([], endpoints(signals, urls));
      const requested = performance.now();
      for (let request = 0; request < 50; request += 1) {
        expect((await fetch(`${serve.baseUrl}/.status`)).status).toBe(200);
      }
      expect(performance.now() - requested).toBeLessThan(5_000);
      const stopped = performance.now();
      expect(await serve.stop()).toBe(0);
      expect(performance.now() - stopped).toBeLessThan(10_000);
      const logged = messages(serve.output.stdout);
      expect(logged.filter((message) => message === 'request')).toHaveLength(50);
      expect(logged.filter((message) => message === 'stopped')).toHaveLength(2);
    },
  );
});
