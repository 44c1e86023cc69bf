import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

/** The behaviour of the collector; tests change it while it runs. */
export type CollectorBehaviour =
  | { readonly kind: 'well' }
  | { readonly kind: 'slow'; readonly ms: number }
  /** Reads the request and never responds. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'fail'; readonly status: number };

type Values = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly resource: Values;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Values;
  /** Status code; 2 is an error. */
  readonly status: number;
}

export interface ReceivedLog {
  readonly resource: Values;
  readonly severity: string;
  readonly body: unknown;
  readonly attributes: Values;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
}

export interface ReceivedPoint {
  readonly resource: Values;
  readonly name: string;
  readonly unit: string;
  readonly attributes: Values;
  /** The value; of a histogram, the count. */
  readonly value: number;
}

export interface OtlpCollector {
  readonly port: number;
  /** URL of each signal; the paths differ from every default. */
  readonly urls: { readonly traces: string; readonly logs: string; readonly metrics: string };
  behaviour: CollectorBehaviour;
  /** Method, path and query of each request, including refused ones. */
  readonly requests: readonly string[];
  /** The accepted request bodies. */
  readonly text: string;
  readonly spans: readonly ReceivedSpan[];
  readonly logs: readonly ReceivedLog[];
  readonly points: readonly ReceivedPoint[];
  close(): Promise<void>;
}

/** Starts a loopback OTLP backend that accepts the JSON encoding over HTTP (OTLP 1.x). */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const accepted: { readonly path: string; readonly text: string }[] = [];
  const listener = createServer((message, response) => {
    requests.push(`${message.method} ${message.url}`);
    void answer(message, response, collector.behaviour, (text) =>
      accepted.push({ path: message.url ?? '', text }),
    );
  });
  listener.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const bodies = (signal: string): readonly Tree[] =>
    accepted
      .filter(({ path }) => path.startsWith(`/in/${signal}`))
      .map(({ text }) => JSON.parse(text) as Tree);
  const collector: OtlpCollector = {
    port,
    urls: {
      traces: `http://127.0.0.1:${port}/in/traces?from=test`,
      logs: `http://127.0.0.1:${port}/in/logs?from=test`,
      metrics: `http://127.0.0.1:${port}/in/metrics?from=test`,
    },
    behaviour: { kind: 'well' },
    requests,
    get text() {
      return accepted.map(({ text }) => text).join('\n');
    },
    get spans() {
      return bodies('traces').flatMap(spansOf);
    },
    get logs() {
      return bodies('logs').flatMap(logsOf);
    },
    get points() {
      return bodies('metrics').flatMap(pointsOf);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return collector;
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  behaviour: CollectorBehaviour,
  accept: (text: string) => void,
): Promise<void> {
  const body = await bodyOf(message);
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'fail') {
    response.writeHead(behaviour.status).end();
    return;
  }
  if (behaviour.kind === 'slow') await sleep(behaviour.ms);
  accept(body);
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return (message.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

/** A parsed body; the readers below cast it to the type of its signal. */
interface Tree {
  readonly [name: string]: never;
}
interface Attribute {
  readonly key: string;
  readonly value: Value;
}
interface Value {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly Value[] };
  readonly kvlistValue?: { readonly values: readonly Attribute[] };
}

function valueOf(value: Value | undefined): unknown {
  if (value?.kvlistValue !== undefined) return valuesOf(value.kvlistValue.values);
  if (value?.arrayValue !== undefined) return value.arrayValue.values.map(valueOf);
  if (value?.intValue !== undefined) return Number(value.intValue);
  return value?.stringValue ?? value?.doubleValue ?? value?.boolValue;
}

function valuesOf(attributes: readonly Attribute[] = []): Values {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SpanJson[] }[];
  }[];
}
interface SpanJson {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number };
}

function spansOf(body: Tree): ReceivedSpan[] {
  return (body as unknown as Traces).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId, attributes, status }) => ({
        resource: valuesOf(resource.attributes),
        name,
        kind,
        traceId,
        spanId,
        parentSpanId,
        attributes: valuesOf(attributes),
        status: status?.code ?? 0,
      })),
    ),
  );
}

interface Logs {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeLogs: readonly { readonly logRecords: readonly LogJson[] }[];
  }[];
}
interface LogJson {
  readonly severityText: string;
  readonly body: Value;
  readonly attributes?: readonly Attribute[];
  readonly traceId?: string;
  readonly spanId?: string;
}

function logsOf(body: Tree): ReceivedLog[] {
  return (body as unknown as Logs).resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) =>
      logRecords.map(({ severityText, body: logBody, attributes, traceId, spanId }) => ({
        resource: valuesOf(resource.attributes),
        severity: severityText,
        body: valueOf(logBody),
        attributes: valuesOf(attributes),
        traceId,
        spanId,
      })),
    ),
  );
}

interface Metrics {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly MetricJson[] }[];
  }[];
}
interface MetricJson {
  readonly name: string;
  readonly unit: string;
  readonly gauge?: Points;
  readonly sum?: Points;
  readonly histogram?: Points;
}
interface Points {
  readonly dataPoints: readonly {
    readonly attributes?: readonly Attribute[];
    readonly asDouble?: number;
    readonly asInt?: number | string;
    readonly count?: number | string;
  }[];
}

function pointsOf(body: Tree): ReceivedPoint[] {
  return (body as unknown as Metrics).resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ name, unit, gauge, sum, histogram }) =>
        (gauge ?? sum ?? histogram ?? { dataPoints: [] }).dataPoints.map((point) => ({
          resource: valuesOf(resource.attributes),
          name,
          unit,
          attributes: valuesOf(point.attributes),
          value: Number(point.asDouble ?? point.asInt ?? point.count),
        })),
      ),
  );
}
