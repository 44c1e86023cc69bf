import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openGit } from '../../../src/app/open/open-git.ts';
import { openGithosts } from '../../../src/app/open/open-githosts.ts';
import { openModel } from '../../../src/app/open/open-model.ts';
import { openClientDocuments } from '../../../src/features/oauth/client-documents/open-client-documents.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { openTelemetry } from '../../../src/foundation/telemetry/telemetry.ts';
import { createCertificateAuthority } from '../../standins/certificate-authority.ts';
import { startConnectProxy } from '../../standins/connect-proxy.ts';
import { startModelService } from '../../standins/model/model-service.ts';
import { startOtlpCollector } from '../../standins/otlp-collector.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const authority = createCertificateAuthority();
const trusted = getCACertificates('default');
let stack: AsyncDisposableStack;

beforeEach(() => {
  stack = new AsyncDisposableStack();
  setDefaultCACertificates([...trusted, authority.cert]);
  stack.defer(() => setDefaultCACertificates(trusted));
});
afterEach(() => stack.disposeAsync());

/** Serves a stand-in under a name that only the proxy resolves, over TLS. */
async function front(name: string, port: number): Promise<number> {
  const server = createServer(authority.issue([name]), (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.on('error', () => behind.destroy()).once('close', () => behind.destroy());
    behind.on('error', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function openProxy() {
  const proxy = stack.use(await startConnectProxy());
  proxy.credentials = 'bot:hush';
  return proxy;
}

type Proxy = Awaited<ReturnType<typeof openProxy>>;

/** Returns the settings of an environment that names the proxy. */
function settingsOf({ port }: Pick<Proxy, 'port'>, env: Readonly<Record<string, string>> = {}) {
  const url = `http://bot:hush@127.0.0.1:${port}`;
  const cwd = temporaryFolder();
  const given = { https_proxy: url, http_proxy: url, DATA_DIR: cwd, ...env };
  return loadConfig({ env: given, cwd, homeDir: cwd });
}

it('holds for language models', async () => {
  const proxy = await openProxy();
  const service = stack.use(await startModelService(() => ({ text: ['hello'] })));
  const url = new URL(service.urls['openai-compatible']);
  proxy.hosts.set('models.example.com', await front('models.example.com', Number(url.port)));
  const settings = settingsOf(proxy, {
    MODEL_PROVIDER: 'openai-compatible',
    MODEL_BASE_URL: `https://models.example.com${url.pathname}`,
    MODEL_API_KEY: service.key,
    MODEL_NAME: service.model,
  });
  const opened = stack.adopt(openModel(settings), (each) => each?.close());
  const turn = { instructions: 'Answer.', messages: [{ role: 'user', text: 'Where?' }], tools: [] } as const;
  const events: unknown[] = [];
  const writing = opened?.languageModel.write(
    { ...turn, mayCall: false, maxOutputTokens: 50 },
    new AbortController().signal,
  );
  for await (const event of writing ?? []) events.push(event);
  expect(events).toContainEqual({ kind: 'text', text: 'hello' });
  expect(proxy.requests).toEqual(['CONNECT models.example.com:443']);
});

it('holds for the APIs of providers and for Git', async () => {
  const proxy = await openProxy();
  const service = stack.use(await startModelService(() => ({ text: [] })));
  const { port } = new URL(service.urls.anthropic);
  proxy.hosts.set('api.example.com', await front('api.example.com', Number(port)));
  const settings = settingsOf(proxy);
  const { githosts } = stack.adopt(openGithosts(settings, {} as never), (each) => each.close());
  const request = { url: 'https://api.example.com/', destination: 'operator' } as const;
  expect((await githosts.provider.http.request(request)).status).toBeGreaterThanOrEqual(400);
  expect(proxy.requests).toEqual(['CONNECT api.example.com:443']);
  expect(await openGit(settings, {} as never)).toMatchObject({ proxies: settings.secrets.proxies });
});

it('holds for client documents, and a private name is refused', async () => {
  const proxy = await openProxy();
  const client_id = 'https://clients.example.com/client';
  const host = createHttpServer((_message, response) => {
    const body = { client_id, client_name: 'Example', redirect_uris: ['http://127.0.0.1/cb'] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void host.close());
  const port = await front('clients.example.com', (host.address() as AddressInfo).port);
  proxy.hosts.set('clients.example.com', port);
  proxy.hosts.set('inside.example.com', port);
  const { secrets } = settingsOf(proxy);
  const http = createHttpClient({
    allowHosts: [],
    proxies: secrets.proxies,
    lookup: async (name) => {
      if (name === 'inside.example.com') return [{ address: '10.0.0.7', family: 4 }];
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    },
  });
  stack.defer(() => http.close());
  const causes: unknown[] = [];
  let now = 0;
  const documents = openClientDocuments({
    http,
    clock: () => now,
    observe: async (_id, outcome, cause) => void causes.push({ outcome, cause }),
  });
  await expect(documents.find('https://inside.example.com/client')).rejects.toMatchObject({
    error: 'invalid_client',
  });
  expect(proxy.requests).toEqual([]);
  expect(await documents.find(client_id)).toMatchObject({ client_id, client_name: 'Example' });
  expect(proxy.requests).toEqual(['CONNECT clients.example.com:443']);
  // Anybody can name a document: only the log says that there is a proxy, and its policy.
  for (const status of [407, 403]) {
    proxy.behaviour = { kind: 'refuse', status };
    now += 60_000;
    await expect(documents.find(`https://other.example.com/${status}`)).rejects.toMatchObject({
      error_description:
        'the client metadata document could not be read: this service could not reach other.example.com',
    });
    expect(causes.at(-1)).toMatchObject({
      outcome: 'unconnected',
      cause: {
        message: expect.stringContaining('(HTTPS_PROXY)') as string,
        detail: { proxy: `127.0.0.1:${proxy.port}` },
      },
    });
  }
});

it('holds for OTLP, over https and http, and the password is in no log', async () => {
  const proxy = await openProxy();
  const collector = await startOtlpCollector();
  stack.defer(() => collector.close());
  proxy.hosts.set('secure.example.com', await front('secure.example.com', collector.port));
  proxy.hosts.set('plain.example.com', collector.port);
  const settings = settingsOf(proxy, {
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'https://secure.example.com/in/logs',
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://plain.example.com/in/metrics',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://refused.example.com/in/traces',
  });
  const lines: string[] = [];
  const telemetry = await openTelemetry({
    config: settings.config,
    proxies: settings.secrets.proxies,
    role: 'serve',
    pretty: false,
    local: { write: (line: string) => void lines.push(line) },
    flushMs: 20_000,
  });
  telemetry.log.info('recorded');
  telemetry.metrics.add('orgctx.job.leases_lost', 2, { how: 'run' });
  telemetry.tracer.start('step', { kind: 'internal' }).end();
  await telemetry.close();
  expect(collector.logs.map(({ body }) => body)).toContain('recorded');
  expect(collector.points.map(({ name }) => name)).toContain('orgctx.job.leases_lost');
  expect(new Set(proxy.requests)).toEqual(
    new Set([
      'CONNECT secure.example.com:443',
      'CONNECT refused.example.com:443',
      'POST http://plain.example.com/in/metrics',
    ]),
  );
  expect(lines.join('')).toContain('telemetry could not be exported');
  expect(lines.join('')).not.toContain('hush');
});
