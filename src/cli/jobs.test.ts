import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { claimed, jobs, keyed, plain } from '../../test/support/queue.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { enqueue } from '../foundation/jobs/enqueue.ts';
import { buryJob } from '../foundation/jobs/lease.ts';
import { runCommandLine } from './frame/run-command-line.ts';

const commands = {
  jobs: { summary: 'jobs', load: async () => (await import('./jobs.ts')).jobsCommand },
};

function environment({ options }: TestDatabase): Record<string, string> {
  return {
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url,
    AUTH_SECRET: 'x'.repeat(40),
  };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(database: TestDatabase, words: readonly string[], typed?: string): Promise<Ran> {
  const folder = temporaryFolder();
  const terminal = { isTTY: typed !== undefined };
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), terminal);
  const code = await runCommandLine(['jobs', ...words], {
    commands,
    streams: {
      stdin: Object.assign(Readable.from(typed === undefined ? [] : [`${typed}\n`]), terminal),
      stdout,
      stderr,
    },
    env: environment(database),
    cwd: folder,
    homeDir: folder,
    signal: new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  return { code, out: await text(stdout), err: await text(stderr) };
}

async function json(database: TestDatabase, ...words: readonly string[]): Promise<unknown> {
  const { code, out, err } = await run(database, [...words, '--json']);
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out);
}

async function bury(database: TestDatabase, id: string, lastError = 'it went wrong'): Promise<string> {
  const jobId = await enqueue(database.queries, keyed, { id });
  await buryJob(database, await claimed(database), lastError);
  return jobId;
}

describeEachDatabase('orgctx jobs', (open) => {
  it('lists the dead ones with their errors, page by page, and others when asked', async () => {
    const database = await open();
    expect(await json(database, 'list')).toEqual({ items: [], nextCursor: null });
    const [first, second] = [await bury(database, 'a'), await bury(database, 'b')];
    const ready = await enqueue(database.queries, plain, { id: 'c' });
    const page = (await json(database, 'list', '--limit', '1')) as { items: unknown[]; nextCursor: string };
    expect(page).toEqual({
      items: [
        {
          id: first,
          task: 'keyed',
          state: 'dead',
          attempts: 1,
          lastError: 'it went wrong',
          runAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
      ],
      nextCursor: expect.any(String),
    });
    expect(await json(database, 'list', '--cursor', page.nextCursor)).toMatchObject({
      items: [{ id: second }],
      nextCursor: null,
    });
    expect(await json(database, 'list', '--state', 'all', '--task', 'plain')).toMatchObject({
      items: [{ id: ready, state: 'ready', attempts: 0, lastError: null }],
    });
    const shown = await run(database, ['list', '--limit', '1']);
    expect(shown.out).toContain(`${first}  keyed  dead  1 run, due `);
    expect(shown.err).toContain(`--cursor ${page.nextCursor}`);
  });

  it('shows no escape sequence of an error, and no second line of one', async () => {
    const database = await open();
    await bury(database, 'a', '\u001b[2Jcleared\u001b]0;title\u0007\n01980f3e forged line\u202e');
    const { out } = await run(database, ['list']);
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringContaining('  keyed  dead'),
      '  [2Jcleared]0;title 01980f3e forged line',
    ]);
  });

  it('retries named ones and says which gave way', async () => {
    const database = await open();
    const id = await bury(database, 'a');
    const twin = await bury(database, 'b');
    const waiting = await enqueue(database.queries, keyed, { id: 'b' });
    expect(await run(database, ['retry', id, twin, id])).toMatchObject({
      code: 0,
      out: '1 job runs again. 1 gave way to one that waits already.\n',
    });
    expect(await jobs(database.queries)).toMatchObject([
      { id, state: 'ready', attempts: 0 },
      { id: waiting, state: 'ready' },
    ]);
  });

  it('retries and discards all dead ones, or those of one task', async () => {
    const database = await open();
    for (const id of ['a', 'b']) await bury(database, id);
    expect(await json(database, 'retry', '--all', '--task', 'plain')).toEqual({ retried: 0, gaveWay: 0 });
    expect(await json(database, 'retry', '--all')).toEqual({ retried: 2, gaveWay: 0 });
    for (let n = 0; n < 2; n += 1) await buryJob(database, await claimed(database), 'again');
    expect(await json(database, 'discard', '--all', '--yes')).toEqual({ discarded: 2 });
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('tells the log what it changed', async () => {
    const database = await open();
    const [retried, discarded] = [await bury(database, 'a'), await bury(database, 'b')];
    const log = async (...words: readonly string[]): Promise<unknown> => {
      const program = join(import.meta.dirname, '../../bin/orgctx.ts');
      const env = { PATH: process.env['PATH'], ...environment(database) };
      const { stderr } = await promisify(execFile)(process.execPath, [program, 'jobs', ...words], { env });
      return JSON.parse(stderr);
    };
    expect(await log('retry', retried)).toMatchObject({ audit: 'jobs.retry', retried: [retried] });
    expect(await log('discard', discarded)).toMatchObject({
      audit: 'jobs.discard',
      discarded: [discarded],
    });
  });

  it('discards named ones without a question', async () => {
    const database = await open();
    const id = await bury(database, 'a');
    expect(await json(database, 'discard', id)).toEqual({ discarded: 1 });
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('asks before it discards all on a terminal, and takes only a yes', async () => {
    const database = await open();
    await bury(database, 'a');
    const no = await run(database, ['discard', '--all'], 'n');
    expect(no).toMatchObject({ code: 2, out: '' });
    expect(no.err).toContain('for good? [y/N]');
    expect(await jobs(database.queries)).toHaveLength(1);
    expect(await run(database, ['discard', '--all', '--no-input'], 'y')).toMatchObject({ code: 2 });
    expect(await jobs(database.queries)).toHaveLength(1);
    expect(await run(database, ['discard', '--all'], 'y')).toMatchObject({ code: 0 });
    expect(await jobs(database.queries)).toEqual([]);
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['nothing named', ['retry'], 2, /No jobs were named.*--all/s],
    ['ids and all', ['retry', 'x', '--all'], 2, /Both ids and --all/],
    ['a task without all', ['discard', 'x', '--task', 'plain'], 2, /--task goes with --all/],
    ['all without a word of consent', ['discard', '--all'], 2, /cannot be undone.*--yes/s],
    ['an unknown id', ['retry', 'x'], 1, /There is no job x/],
    ['an unknown state', ['list', '--state', 'sleeping'], 2, /dead, ready, running, all/],
    ['a bad cursor', ['list', '--cursor', 'x'], 2, /cursor/],
  ])('refuses %s', async (_what, words, code, message) => {
    const database = await open();
    const ran = await run(database, words);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toMatch(message);
  });

  it('refuses to discard a running job and says why', async () => {
    const database = await open();
    const id = await enqueue(database.queries, plain, { id: 'a' });
    await claimed(database);
    const { code, err } = await run(database, ['discard', id]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('its worker may be writing') });
    expect(await jobs(database.queries)).toMatchObject([{ id, state: 'running' }]);
  });

  it('names "orgctx migrate" on a host without a database', async () => {
    const database = await open({ empty: true });
    const { code, err } = await run(database, ['list']);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('orgctx migrate') });
  });
});
