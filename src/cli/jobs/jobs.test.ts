import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
import { hostEnvironment } from '../../../test/support/database/host-environment.ts';
import { claimed, jobs, keyed, plain } from '../../../test/support/jobs/queue.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { markDead } from '../../foundation/jobs/lease/lease.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(database: TestDatabase, words: readonly string[], typed?: string): Promise<Ran> {
  const terminal = typed === undefined ? {} : { terminal: true, typed };
  const env = hostEnvironment(database);
  const { code, stdout, stderr } = await runCli(['jobs', ...words], { env, ...terminal });
  return { code, out: stdout, err: stderr };
}

async function json(database: TestDatabase, ...words: readonly string[]): Promise<unknown> {
  const { code, out, err } = await run(database, [...words, '--json']);
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out);
}

async function kill(database: TestDatabase, id: string, lastError = 'it went wrong'): Promise<string> {
  const jobId = await enqueue(database.queries, keyed, { id });
  await markDead(database, await claimed(database), lastError, systemClock);
  return jobId;
}

describeEachDatabase('orgctx jobs', (open) => {
  it('lists dead jobs with their errors, page by page, and jobs in other states on request', async () => {
    const database = await open();
    expect(await json(database, 'list')).toEqual({ items: [], nextCursor: null });
    const [first, second] = [await kill(database, 'a'), await kill(database, 'b')];
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
    const listed = await run(database, ['list', '--limit', '1']);
    expect(listed.out).toBe(
      'ID        TASK   STATE  RUNS  DUE       ERROR\n' +
        `${first.slice(0, 8)}  keyed  dead   1     just now  it went wrong\n`,
    );
    expect(listed.err).toContain(`--cursor ${page.nextCursor}`);
  });

  it('prints an error on one line without escape sequences', async () => {
    const database = await open();
    await kill(database, 'a', '\u001b[2Jcleared\u001b]0;title\u0007\n01980f3e forged line\u202e');
    const { out } = await run(database, ['list']);
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ID /),
      expect.stringMatching(/ keyed {2}dead .* \[2Jcleared\]0;title 01980f3e forged line$/),
    ]);
  });

  it('retries jobs by id and reports how many were removed as duplicates', async () => {
    const database = await open();
    const id = await kill(database, 'a');
    const twin = await kill(database, 'b');
    const waiting = await enqueue(database.queries, keyed, { id: 'b' });
    expect(await run(database, ['retry', id, twin, id])).toMatchObject({
      code: 0,
      out: '1 job runs again. 1 removed, because the same work is already waiting.\n',
    });
    expect(await jobs(database.queries)).toMatchObject([
      { id, state: 'ready', attempts: 0 },
      { id: waiting, state: 'ready' },
    ]);
  });

  it('retries and discards all dead jobs, or those of one task', async () => {
    const database = await open();
    for (const id of ['a', 'b']) await kill(database, id);
    expect(await json(database, 'retry', '--all', '--task', 'plain')).toEqual({ retried: 0, replaced: 0 });
    expect(await json(database, 'retry', '--all')).toEqual({ retried: 2, replaced: 0 });
    for (let n = 0; n < 2; n += 1) await markDead(database, await claimed(database), 'again', systemClock);
    expect(await json(database, 'discard', '--all', '--yes')).toEqual({ discarded: 2 });
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('logs what it changed', async () => {
    const database = await open();
    const [retried, discarded] = [await kill(database, 'a'), await kill(database, 'b')];
    const log = async (...words: readonly string[]): Promise<unknown> => {
      const program = join(import.meta.dirname, '../../../bin/orgctx.ts');
      const env = { PATH: process.env['PATH'], ...hostEnvironment(database) };
      const { stderr } = await promisify(execFile)(process.execPath, [program, 'jobs', ...words], { env });
      return JSON.parse(stderr);
    };
    expect(await log('retry', retried)).toMatchObject({ audit: 'jobs.retried', retried: [retried] });
    expect(await log('discard', discarded)).toMatchObject({
      audit: 'jobs.discarded',
      discarded: [discarded],
    });
  });

  it('accepts the start of an id that is unique, and lists the candidates otherwise', async () => {
    const database = await open();
    const ids = [await kill(database, 'a'), await kill(database, 'b')];
    const start = ids[0]?.slice(0, 6) ?? '';
    const refused = await run(database, ['discard', start]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`The ids of several jobs start with "${start}".`);
    for (const id of ids) expect(refused.err).toContain(`\n  ${id}\n`);
    const shown = (await run(database, ['list'])).out.split('\n').slice(1, 3);
    const [first = ''] = shown.map((line) => line.split(' ')[0] ?? '');
    expect(await json(database, 'discard', first)).toEqual({ discarded: 1 });
    expect(await jobs(database.queries)).toMatchObject([{ id: ids[1] }]);
  });

  it('says what to do if there is nothing to list', async () => {
    const database = await open();
    expect(await run(database, ['list'])).toMatchObject({
      code: 0,
      out: '',
      err: 'No job is dead. Run "orgctx jobs list --state all" to see the whole queue.\n',
    });
  });

  it('discards jobs by id without confirmation', async () => {
    const database = await open();
    const id = await kill(database, 'a');
    expect(await json(database, 'discard', id)).toEqual({ discarded: 1 });
    expect(await jobs(database.queries)).toEqual([]);
  });

  it('asks for confirmation before it discards all jobs on a terminal', async () => {
    const database = await open();
    await kill(database, 'a');
    const no = await run(database, ['discard', '--all'], 'n');
    expect(no).toMatchObject({ code: 2, out: '' });
    expect(no.err).toContain('Permanently discard all of these dead jobs? [y/N]');
    expect(await jobs(database.queries)).toHaveLength(1);
    expect(await run(database, ['discard', '--all', '--no-input'], 'y')).toMatchObject({ code: 2 });
    expect(await jobs(database.queries)).toHaveLength(1);
    expect(await run(database, ['discard', '--all'], 'y')).toMatchObject({ code: 0 });
    expect(await jobs(database.queries)).toEqual([]);
  });

  it.each<[string, readonly string[], number, RegExp]>([
    ['nothing named', ['retry'], 2, /No jobs were given.*--all/s],
    ['ids and all', ['retry', 'x', '--all'], 2, /Both ids and --all/],
    ['a task without all', ['discard', 'x', '--task', 'plain'], 2, /--task requires --all/],
    ['all without a word of consent', ['discard', '--all'], 2, /cannot be undone.*--yes/s],
    ['no id', ['retry', 'x'], 1, /There is no job "x".*"orgctx jobs list --state all"/],
    ['an unknown start of an id', ['discard', '01980f3e'], 1, /There is no job "01980f3e"/],
    ['an unknown id', ['retry', '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10'], 1, /There is no job 01980f3e/],
    ['a pattern', ['discard', '0198%', '____'], 1, /There is no job "0198%"/],
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

  it('mentions "orgctx migrate" on a host without a database', async () => {
    const database = await open({ empty: true });
    const { code, err } = await run(database, ['list']);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('orgctx migrate') });
  });
});
