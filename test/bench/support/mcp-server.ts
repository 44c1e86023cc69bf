import Fastify from 'fastify';
import { z } from 'zod';
import type { AnswerDeps } from '../../../src/features/advisor/advisor-deps.ts';
import type { Principal } from '../../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import { createLogger } from '../../../src/foundation/telemetry/logger.ts';
import { buildHttpServer } from '../../../src/surfaces/http/build-server.ts';
import { exchange } from '../../../src/surfaces/mcp/exchange.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { authInfoFor, mcpHandler } from '../../../src/surfaces/mcp/server.ts';
import { defineTool } from '../../../src/surfaces/mcp/tools/tool.ts';
import { openTestDatabase } from '../../support/database/databases.ts';
import { emptyKnowledge } from '../../support/graph/opened-graph.ts';
import { openTestHttpDeps } from '../../support/http/http-server.ts';

/**
 * The servers that `mcp-call.ts` measures, in a separate process: a raw Fastify JSON route, the bare SDK handler
 * (same `Server`, no authentication, no hooks), and the product's route with one tool and with ten.
 */
const log = createLogger({ level: 'error', name: 'bench', pretty: false, destination: 'stderr' });
const database = await openTestDatabase('sqlite');
const { user, organization } = await admitUser(
  { database, clock: systemClock },
  { email: 'bench@example.com', orgSlug: 'bench' },
);
const { apiKey } = await createApiKey(database.queries, { userId: user.id, name: 'bench' }, systemClock);

const trivial = toolNamed('trivial');
const ten = [trivial, ...Array.from({ length: 9 }, (_, index) => toolNamed(`padding_${index}`))];

function toolNamed(name: string) {
  return defineTool({
    name,
    description: 'Responds immediately.',
    input: z.strictObject({ text: z.string().optional() }),
    run: async () => 'hello',
  });
}

/** The trivial tools use none of `answers`. */
const deps = {
  baseUrl: 'http://127.0.0.1',
  version: '0',
  identity: { queries: database.queries, clock: systemClock },
  answers: { queries: database.queries } as AnswerDeps,
  knowledge: emptyKnowledge,
};

async function product(tools: readonly ReturnType<typeof toolNamed>[]): Promise<string> {
  const own = await openTestHttpDeps(database, { baseUrl: deps.baseUrl }, log);
  const server = await buildHttpServer(
    { ...own, identity: deps.identity, answers: deps.answers },
    {
      plugins: [{ name: 'mcp', plugin: mcpRoute({ deps, log, tools }) }],
      // The rate limits still count; only their maximum is out of reach.
      limits: { address: 1e9, credential: 1e9, user: 1e9 },
    },
  );
  return `${await server.listen({ host: '127.0.0.1', port: 0 })}/mcp?orgSlug=bench`;
}

async function bare(): Promise<string> {
  const server = Fastify();
  server.decorate('callLimits', { countRefusal: async () => {}, countFurtherCalls: async () => {} });
  const handler = mcpHandler(deps, [trivial], log);
  const principal: Principal = {
    userId: user.id,
    email: user.email,
    credential: { kind: 'api-key', apiKeyId: newId(), organizationId: undefined },
    scopes: new Set(['mcp']),
  };
  const access = {
    principal,
    scope: { organizationId: organization.id, orgSlug: 'bench' },
    role: 'owner',
  } as const;
  const authInfo = authInfoFor({ access, log });
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  server.post('/mcp', (request, reply) =>
    exchange({ handler, url: 'http://127.0.0.1/mcp', authInfo }, request, reply),
  );
  return `${await server.listen({ host: '127.0.0.1', port: 0 })}/mcp`;
}

async function raw(): Promise<string> {
  const server = Fastify();
  const result = {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'hello' }] },
  };
  server.post('/mcp', () => result);
  return `${await server.listen({ host: '127.0.0.1', port: 0 })}/mcp`;
}

process.send?.({
  apiKey,
  urls: { raw: await raw(), bare: await bare(), one: await product([trivial]), ten: await product(ten) },
});
process.once('disconnect', () => process.exit());
