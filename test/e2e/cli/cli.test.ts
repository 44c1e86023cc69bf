import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { standInService } from '../../support/program/command-line.ts';
import { orgctx, program, start } from '../../support/program/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const remote = { ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };

/** Writes each module that Node resolves to stderr. */
const tracer = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) => { process.stderr.write('resolved ' + name + '\\n'); return next(name, context); } });
`)}`;

describe('the program', () => {
  it('prints its version only on stdout', async () => {
    expect(await orgctx(['version'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^orgctx \d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    expect(JSON.parse((await orgctx(['version', '--json'])).stdout)).toMatchObject({
      node: process.versions.node,
    });
  });

  it.each([[['version']], [['--help']], [['repo', 'add', '--help']]])(
    'loads neither database, nor server, nor HTTP client for %j',
    async (words) => {
      const { code, stderr } = await orgctx(words, { env: { NODE_OPTIONS: `--import=${tracer}` } });
      expect(code).toBe(0);
      expect(stderr).toContain('resolved commander');
      const heavy = /^resolved (better-sqlite3|kysely|pg|fastify|@modelcontextprotocol|simple-git|pino)/m;
      expect(stderr).not.toMatch(heavy);
      if (words[0] !== 'repo') expect(stderr).not.toMatch(/^resolved (undici|zod|yaml)/m);
    },
  );

  it('exits with 2 for a bad flag, 3 for a wrong setting, 4 for a missing key, 5 for an unreachable port', async () => {
    expect((await orgctx(['version', '--bogus'])).code).toBe(2);
    expect((await orgctx(['config', 'show'], { env: { PORT: 'x' } })).code).toBe(3);
    expect((await orgctx(['repo', 'list', '--url', 'https://ctx.example.com'])).code).toBe(4);
    expect((await orgctx(['repo', 'list', '--url', 'http://127.0.0.1:1'], { env: remote })).code).toBe(5);
  });

  it('reads the configuration file from the working directory', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await orgctx(['config', 'show', '--config', 'absent.yaml'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('absent.yaml cannot be read'),
    });
  });
});

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s stops a waiting command with exit code 130 and a message',
    async (signal) => {
      const service = await standInService(() => undefined);
      const running = start(['repo', 'list', '--url', service.url], { env: remote });
      await expect.poll(() => service.seen.length).toBe(1);
      const started = Date.now();
      expect(await running.stop(signal)).toBe(130);
      expect(Date.now() - started).toBeLessThan(8_000);
      expect(running.output.stderr).toContain('Interrupted');
      await service.close();
    },
  );
});

describe('a closed stdout', () => {
  it('ends the program without an error', async () => {
    const items = Array.from({ length: 5_000 }, (_, index) => ({
      id: `${index}`,
      name: `repository-${index}-${'x'.repeat(200)}`,
      source: 'https://git.example.com/x.git',
      state: 'indexed',
    }));
    const service = await standInService(() => ({ body: { items, nextCursor: null } }));
    const child = spawn(process.execPath, [program, 'repo', 'list', '--url', service.url], {
      env: { PATH: process.env['PATH'], ...remote },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await service.close();
  });
});
