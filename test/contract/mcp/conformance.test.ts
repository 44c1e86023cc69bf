import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { tools } from '../../../src/surfaces/mcp/tools/all.ts';
import { type BearerProxy, startBearerProxy } from '../../standins/bearer-proxy.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { emptyKnowledge } from '../../support/graph/opened-graph.ts';
import { openTestAnswers, openTestHttp } from '../../support/http/http-server.ts';
import { conformanceExtension, conformanceTools } from '../../support/program/conformance-fixtures.ts';
import { silentLog } from '../../support/silent-log.ts';

const suite = fileURLToPath(new URL('../../../node_modules/.bin/conformance', import.meta.url));
const baseline = (version: string): string =>
  fileURLToPath(new URL(`./conformance/${version}.yml`, import.meta.url));

let database: TestDatabase;
let server: FastifyInstance;
let proxy: BearerProxy;

beforeAll(async () => {
  let target = { url: new URL('http://127.0.0.1:9'), token: '' };
  proxy = await startBearerProxy(() => target);
  database = await openTestDatabase('sqlite');
  const mcp = mcpRoute({
    deps: {
      baseUrl: proxy.origin,
      version: '1.2.3',
      identity: { queries: database.queries, clock: systemClock },
      answers: openTestAnswers(database, proxy.origin),
      knowledge: emptyKnowledge,
    },
    log: silentLog,
    tools: [...tools, ...conformanceTools],
    extend: conformanceExtension,
  });
  const http = await openTestHttp(database, {
    baseUrl: proxy.origin,
    plugins: [{ name: 'mcp', plugin: mcp }],
  });
  server = http.server;
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  target = { url: new URL(`${origin}/mcp?orgSlug=acme`), token: http.keys.member };
});

afterAll(async () => {
  await proxy?.close();
  await server?.close();
  await database?.close();
});

describe('the official conformance suite, run against the product route with its authentication and hooks', () => {
  it.each(['2025-11-25', '2026-07-28'])(
    'passes for %s except for the baseline, where each line has a reason',
    async (version) => {
      const args = ['server', '--url', `${proxy.origin}/mcp`, '--suite', 'all', '--spec-version', version];
      const { stdout, code } = await run([...args, '--expected-failures', baseline(version)]);
      expect(code, stdout.slice(-6_000)).toBe(0);
    },
  );

  it('fails when a product tool is broken: the baseline hides nothing else', async () => {
    const args = ['server', '--url', `${proxy.origin}/nowhere`, '--scenario', 'tools-list'];
    const { code } = await run([...args, '--spec-version', '2026-07-28']);
    expect(code).not.toBe(0);
  });
});

async function run(args: readonly string[]): Promise<{ stdout: string; code: number }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args], {
      timeout: 110_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { stdout, code: 0 };
  } catch (error) {
    const { stdout = '', code } = error as { stdout?: string; code?: unknown };
    return { stdout, code: typeof code === 'number' ? code : -1 };
  }
}
