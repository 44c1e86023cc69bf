import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { serveFlags, workerFlags } from '../../src/app/processes/process-flags.ts';
import { orgctx, type RunningProgram, start } from '../support/program/program.ts';
import { recordingModules } from '../support/run/record-modules.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let running: RunningProgram | undefined;
afterEach(() => running?.stop());

const argumentsOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
const environmentOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');

describe('the flags of V8', () => {
  it.each(['worker', 'codesearch'])('orgctx %s runs with those of a supervised worker', async (command) => {
    const dataDir = temporaryFolder();
    const env = { CODESEARCH_SECRET: 'x'.repeat(40), DATA_DIR: dataDir };
    if (command === 'worker') {
      const args = ['admin', 'create', '--email', 'a@example.com', '--org', 'acme'];
      expect((await orgctx(args, { env })).code).toBe(0);
    }
    const started = start(command === 'worker' ? [command] : [command, '--port', '0'], { env });
    running = started;
    await started.line((text) => text.includes(command === 'worker' ? '"working"' : '"listening"'));
    const words = argumentsOf(started.process.pid);
    for (const flag of workerFlags) expect(words).toContain(flag);

    expect(started.output.stderr).not.toMatch(/experimental/i);
    expect(await started.stop()).toBe(0);
  });
});

describe('orgctx serve', () => {
  /**
   * Packages that are loaded with a setting or with the first use, those of many files that the build contains, and the
   * compilers that Fastify would load itself.
   */
  const unneeded =
    /node_modules\/(neo4j-driver|@ai-sdk|@opentelemetry|oidc-provider|openid-client|koa|pg|pino-pretty|undici|jose|kysely|ajv|@fastify\/.*-compiler)\//;

  it('has limits of memory, loads only what is set, and keeps compiled code in the cache folder', async () => {
    const home = temporaryFolder();
    const journal = join(home, 'modules');
    const env = { HOME: home, NODE_COMPILE_CACHE: '', ...recordingModules(journal) };
    const args = ['serve', '--no-worker', '--port', '0', '--data-dir', join(home, 'data')];
    const started = start(args, { env });
    running = started;
    const line = await started.line((text) => text.includes('"listening"'));
    const { baseUrl } = JSON.parse(line.split('\n')[0] ?? '') as { baseUrl: string };
    expect((await fetch(`${baseUrl}/.status`)).status).toBe(200);
    expect((await fetch(`${baseUrl}/mcp`, { method: 'POST' })).status).toBe(401);

    for (const flag of serveFlags) expect(argumentsOf(started.process.pid)).toContain(flag);
    expect(environmentOf(started.process.pid)).toContain('MALLOC_ARENA_MAX=2');
    expect(await started.stop()).toBe(0);
    expect(readdirSync(join(home, '.cache/orgctx/compiled'))).not.toHaveLength(0);
    const modules = readFileSync(journal, 'utf8').split('\n');
    expect(modules.some((url) => url.includes('/fastify/'))).toBe(true);
    expect(modules.filter((url) => unneeded.test(url)).slice(0, 10)).toEqual([]);
  });
});
