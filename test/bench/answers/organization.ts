import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Finished, orgctx, start } from '../../support/program/program.ts';
import type { Source } from './complete-source.ts';
import type { Given } from './score.ts';

/** A built program that serves one organization. */
export interface ServedOrganization {
  /** Asks over REST. `ms` is the time of the request that was answered. */
  ask(question: string): Promise<{ readonly given: Given; readonly ms: number }>;
  /** Returns the text of the MCP tool `svc_advisor`. */
  advise(question: string): Promise<string>;
  stop(): Promise<void>;
}

export interface OrganizationOptions {
  readonly name: string;
  /** Path of the built program. */
  readonly program: string;
  /** A folder that was used before keeps what is indexed. */
  readonly dataDir: string;
  readonly sources: readonly Source[];
}

const indexTimeoutMs = 3_600_000;
const requestTimeoutMs = 120_000;
const email = 'bench@example.com';

const answerShape = z.object({
  answer: z.string(),
  citations: z.array(
    z.object({
      n: z.int(),
      repository: z.string().optional(),
      path: z.string().optional(),
      startLine: z.int().optional(),
      endLine: z.int().optional(),
      title: z.string(),
      excerpt: z.string(),
    }),
  ),
  confidence: z.string().optional(),
  notFound: z.boolean().optional(),
});
const repositoriesShape = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      indexedCommit: z.string().nullable(),
      graphCommit: z.string().nullable(),
      filesWithoutDefinitions: z.int().optional(),
      error: z.object({ message: z.string() }).nullable(),
    }),
  ),
});
const jobsShape = z.object({
  items: z.array(z.object({ task: z.string(), state: z.string(), runAt: z.string() })),
});
const toolShape = z.object({
  result: z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() }),
});

/** Starts a built program, adds the repositories that are missing, and waits until everything is read. */
export async function serveOrganization(options: OrganizationOptions): Promise<ServedOrganization> {
  const { name, program, dataDir, sources } = options;
  mkdirSync(dataDir, { recursive: true });
  const host = ['--data-dir', dataDir, '--json'];
  await command(['admin', 'create', '--email', email, '--org', name, ...host], program);
  const key = await command(
    ['admin', 'key', 'create', '--email', email, '--name', 'bench', ...host],
    program,
  );
  const { apiKey } = z.object({ apiKey: z.string() }).parse(key);
  const env = { ALLOW_LOCAL_REPOSITORIES: 'true', SYNC_INTERVAL: '86400' };
  const running = start(['serve', '--port', '0', '--data-dir', dataDir], { program, env });
  const stop = async (): Promise<void> => void (await running.stop());
  try {
    const line = await running.line((stdout) => stdout.includes('"listening"'), requestTimeoutMs);
    const { baseUrl } = z.object({ baseUrl: z.string() }).parse(JSON.parse(line.split('\n')[0] ?? ''));
    const call = (path: string, body?: object, headers?: Record<string, string>): Promise<unknown> =>
      request(`${baseUrl}${path}`, { authorization: `Bearer ${apiKey}`, ...headers }, body);
    const api = `/${name}/api/v1`;
    const known = repositoriesShape.parse(await call(`${api}/repositories?limit=100`)).items;
    for (const { name: repository, folder } of sources) {
      if (known.some((each) => each.name === repository)) continue;
      await call(`${api}/repositories`, { source: folder, name: repository });
    }
    await untilRead(async () => {
      const { items } = repositoriesShape.parse(await call(`${api}/repositories?limit=100`));
      const failed = items.find(({ state }) => state === 'failed');
      if (failed !== undefined)
        throw new Error(`${failed.name} was not indexed: ${failed.error?.message ?? ''}`);
      const isRead = items.every(
        ({ state, indexedCommit, graphCommit, filesWithoutDefinitions }) =>
          state === 'indexed' && indexedCommit === graphCommit && filesWithoutDefinitions === undefined,
      );
      return isRead && (await isIdle(program, host));
    });
    return {
      ask: async (question) => {
        const { body, ms } = await answeredIn(() => call(`${api}/ask`, { prompt: question }));
        const { citations, ...given } = answerShape.parse(body);
        return { given: { ...given, citations: citations.toSorted((a, b) => a.n - b.n) }, ms };
      },
      advise: async (question) =>
        adviceOf(await call(`/mcp?orgSlug=${name}`, toolCall(question), toolHeaders)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilRead(isRead: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + indexTimeoutMs; !(await isRead()); ) {
    if (performance.now() > end) throw new Error(`not read after ${indexTimeoutMs / 60_000} minutes`);
    await sleep(2_000);
  }
}

/** Returns whether no job of a repository is due: past commits are read when nothing else is to be done. */
async function isIdle(program: string, host: readonly string[]): Promise<boolean> {
  const listed = await command(['jobs', 'list', '--state', 'all', '--limit', '200', ...host], program);
  const soon = Date.now() + 10_000;
  return jobsShape
    .parse(listed)
    .items.filter(({ task, state }) => task.startsWith('repository-') && state !== 'dead')
    .every(({ state, runAt }) => state !== 'running' && Date.parse(runAt) > soon);
}

async function command(args: readonly string[], program: string): Promise<unknown> {
  const { code, stdout, stderr }: Finished = await orgctx(args, { program });
  if (code !== 0) throw new Error(`orgctx ${args.slice(0, 3).join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

async function answeredIn(run: () => Promise<unknown>): Promise<{ body: unknown; ms: number }> {
  const started = performance.now();
  const body = await run();
  return { body, ms: performance.now() - started };
}

/** Sends a request, again if the service asks to wait. Returns the JSON of the response. */
async function request(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  for (;;) {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...headers,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(jsonOf(text));
    if (response.status !== 429) throw new Error(`${url}: ${response.status} ${text}`);
    await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

/** Returns the last message of a stream of events, or the text itself. */
function jsonOf(text: string): string {
  return text.startsWith('{')
    ? text
    : (text
        .match(/^data: (\{.*)$/gm)
        ?.at(-1)
        ?.slice('data: '.length) ?? text);
}

const toolHeaders = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'svc_advisor',
};

function toolCall(prompt: string): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'svc_advisor', arguments: { prompt }, _meta };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

function adviceOf(response: unknown): string {
  const { content, isError } = toolShape.parse(response).result;
  const text = content.map((part) => part.text).join('\n');
  if (isError === true) throw new Error(`svc_advisor: ${text}`);
  return text;
}
