import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../support/git/git-repository.ts';
import { type RunningQuickstart, startQuickstart } from '../support/program/program.ts';

const prompt = 'How does the lease clerk renew a lease?';
const toolNames = [
  'find_references',
  'find_related',
  'find_symbol',
  'get_entity',
  'history',
  'index_status',
  'list_repositories',
  'list_tree',
  'read_file',
  'search_code',
  'search_entities',
  'show_commit',
  'svc_advisor',
];
const bin = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));

let service: RunningQuickstart;
let headers: { Authorization: string };

beforeAll(async () => {
  const repository = createRepository({
    'src/lease-clerk.ts':
      '/** Renews a lease before it runs out. */\nexport function renewLease(id: string) {\n  return id;\n}\n',
    'README.md': '# Leases\n\nThe lease clerk renews every lease.\n',
  });
  service = await startQuickstart([repository.folder]);
  headers = { Authorization: `Bearer ${service.result.apiKey}` };
});

afterAll(() => service?.stop());

interface AdvisorResult {
  readonly content?: readonly { readonly text?: string }[];
}

function expectCitation(result: unknown): void {
  expect((result as AdvisorResult).content?.[0]?.text).toContain('src/lease-clerk.ts:');
}

describe('independent MCP clients list the tools and ask the advisor with an API key', () => {
  it('the v1 SDK client (2025-11-25)', async () => {
    const client = new LegacyClient({ name: 'test', version: '1' });
    const transport = new LegacyTransport(new URL(service.result.mcpUrl), { requestInit: { headers } });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(toolNames);
    const progress: string[] = [];
    const call = { name: 'svc_advisor', arguments: { prompt } };
    const onprogress = (step: { message?: string | undefined }): void => {
      progress.push(step.message ?? '');
    };
    expectCitation(await client.callTool(call, undefined, { onprogress }));
    expect(progress.length).toBeGreaterThan(0);
    await client.close();
  });

  it('the v2 client (2026-07-28)', async () => {
    const client = new ModernClient({ name: 'test', version: '1' });
    await client.connect(new ModernTransport(new URL(service.result.mcpUrl), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(toolNames);
    expectCitation(await client.callTool({ name: 'svc_advisor', arguments: { prompt } }));
    await client.close();
  });

  it.each(['legacy', 'modern'])('mcp-inspector --cli, %s era', async (era) => {
    const common = [
      '--cli',
      service.result.mcpUrl,
      '--transport',
      'http',
      '--protocol-era',
      era,
      '--format',
      'json',
      '-q',
    ];
    const authorization = ['--header', `Authorization: ${headers.Authorization}`];
    const listed = await run('mcp-inspector', [
      ...common,
      '--method',
      'tools/list',
      '--strict',
      ...authorization,
    ]);
    for (const name of toolNames) expect(listed).toContain(`"${name}"`);
    const answer = await run('mcp-inspector', [
      ...common,
      '--method',
      'tools/call',
      '--tool-name',
      'svc_advisor',
      '--tool-args-json',
      JSON.stringify({ prompt }),
      ...authorization,
    ]);
    expect(answer).toContain('src/lease-clerk.ts');
  });

  it('mcp-remote as a stdio bridge', async () => {
    const client = new LegacyClient({ name: 'test', version: '1' });
    const args = [bin('mcp-remote'), service.result.mcpUrl, '--transport', 'http-only'];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...args, '--header', `Authorization: ${headers.Authorization}`],
        stderr: 'ignore',
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(toolNames);
    expectCitation(await client.callTool({ name: 'svc_advisor', arguments: { prompt } }));
    await client.close();
  });
});

async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [bin(command), ...args], {
    timeout: 60_000,
  });
  return stdout;
}
