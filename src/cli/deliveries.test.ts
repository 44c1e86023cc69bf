import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../test/standins/webhook-sender.ts';
import { connectTracker } from '../../test/support/connected-tracker.ts';
import { describeEachDatabase, type TestDatabase } from '../../test/support/databases.ts';
import { openTestIntake, openTestKeyring } from '../../test/support/http-server.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { ConnectionId } from '../foundation/kernel/ids.ts';
import { runCommandLine } from './frame/run-command-line.ts';

const commands = {
  deliveries: { summary: 'x', load: async () => (await import('./deliveries.ts')).deliveriesCommand },
};

interface Listed {
  readonly items: readonly { readonly id: string; readonly outcome: string; readonly replayedAt: string }[];
  readonly nextCursor: string | null;
}

describeEachDatabase('orgctx deliveries', (open) => {
  let database: TestDatabase;
  let connection: ConnectionId;

  beforeEach(async () => {
    database = await open();
    const keyring = await openTestKeyring(database);
    connection = await connectTracker(database, keyring, { secret: 'good' });
    const intake = openTestIntake(database, keyring, silentLog);
    const send = (event: object, secret = 'good') => intake.tracker.receive(signTracker(event, { secret }));
    await send(trackerEvent({ id: 'issue-1' }));
    await send(trackerEvent({ id: 'issue-2' }));
    await send(trackerEvent({ type: 'Invention' }));
    await send(trackerEvent(), 'wrong').catch(() => undefined);
    await intake.close(0);
  });

  function environment(): Record<string, string> {
    const { options } = database;
    return {
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url,
      AUTH_SECRET: 'x'.repeat(40),
    };
  }

  async function run(...words: readonly string[]) {
    const folder = temporaryFolder();
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const code = await runCommandLine(['deliveries', ...words], {
      commands,
      streams: { stdin: Readable.from([]), stdout, stderr },
      env: environment(),
      cwd: folder,
      homeDir: folder,
      signal: new AbortController().signal,
    });
    stdout.end();
    stderr.end();
    return { code, out: await text(stdout), err: await text(stderr) };
  }
  const list = async (...words: readonly string[]): Promise<Listed> => {
    const { code, out, err } = await run('list', ...words, '--json');
    expect({ code, err }).toMatchObject({ code: 0 });
    return JSON.parse(out) as Listed;
  };
  const jobKeys = async () =>
    (await database.queries.selectFrom('jobs').select('key').orderBy('key').execute()).map(({ key }) => key);

  it('lists them newest first, page by page, with everything that is kept', async () => {
    const first = await list('--limit', '3');
    expect(first.items.map(({ outcome }) => outcome)).toEqual(['rejected', 'ignored', 'accepted']);
    const second = await list('--limit', '3', '--cursor', String(first.nextCursor));
    expect(second).toMatchObject({ items: [{ outcome: 'accepted' }], nextCursor: null });
    expect(second.items[0]).toEqual({
      id: expect.any(String),
      source: 'tracker',
      connectionId: connection,
      outcome: 'accepted',
      reason: null,
      event: 'Issue.update',
      entities: [{ kind: 'issue', id: 'issue-1' }],
      bodyHash: expect.any(String),
      bodyBytes: expect.any(Number),
      receivedAt: expect.stringMatching(/Z$/),
      replayedAt: null,
    });
  });

  it('lists those of a connection, an outcome and a time alone', async () => {
    expect((await list('--connection', connection)).items).toHaveLength(3);
    expect((await list('--outcome', 'rejected')).items).toHaveLength(1);
    expect((await list('--since', '1h')).items).toHaveLength(4);
    expect((await list('--since', '2999-01-01T00:00:00Z')).items).toHaveLength(0);
    expect(await run('list', '--since', 'yesterday')).toMatchObject({ code: 2 });
    expect((await run('list')).out).toMatch(
      /rejected \(signature_invalid\)[^]*ignored \(unknown_type\)[^]*issue issue-1/,
    );
  });

  it('replays an accepted one, as often as wanted, into one job', async () => {
    const accepted = (await list('--outcome', 'accepted')).items.at(-1);
    await database.queries.deleteFrom('jobs').execute();
    for (let times = 0; times < 2; times += 1) {
      expect(await run('replay', String(accepted?.id), '--json')).toMatchObject({
        code: 0,
        out: '{"replayed":1}\n',
      });
    }
    expect(await jobKeys()).toEqual([`${connection}:issue:issue-1`]);
    expect((await list('--outcome', 'accepted')).items.at(-1)?.replayedAt).toMatch(/Z$/);
  });

  it('replays those of a connection since a time', async () => {
    await database.queries.deleteFrom('jobs').execute();
    const since = ['--since', '1h', '--connection', connection];
    expect(await run('replay', ...since)).toMatchObject({ code: 0, out: '2 deliveries replayed.\n' });
    expect(await jobKeys()).toEqual([`${connection}:issue:issue-1`, `${connection}:issue:issue-2`]);
    expect(await run('replay', '--since', '1h')).toMatchObject({ code: 2 });
    expect(await run('replay')).toMatchObject({ code: 2 });
  });

  it('tells the log of each transaction what it replayed, also when a later one fails', async () => {
    const ids = (await list('--outcome', 'accepted')).items.map(({ id }) => id);
    const program = join(import.meta.dirname, '../../bin/orgctx.ts');
    const unknown = '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10';
    const words = ['deliveries', 'replay', ...ids, unknown];
    const ran = promisify(execFile)(process.execPath, [program, ...words], {
      env: { PATH: process.env['PATH'], ...environment() },
    });
    const { stderr } = await ran.catch((error: { stderr: string }) => error);
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      ids.map((deliveryId) => ({
        name: 'deliveries',
        audit: 'deliveries.replay',
        deliveryId,
        replayed: 1,
      })),
    );
  });

  it('replays none that led to nothing, none of a removed connection and none that is not there', async () => {
    await database.queries.deleteFrom('jobs').execute();
    for (const outcome of ['rejected', 'ignored']) {
      const [delivery] = (await list('--outcome', outcome)).items;
      const { code, err } = await run('replay', String(delivery?.id));
      expect([code, err]).toEqual([1, expect.stringContaining(`was ${outcome}`)]);
    }
    expect(await run('replay', '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10')).toMatchObject({ code: 1 });
    const [accepted] = (await list('--outcome', 'accepted')).items;
    await database.queries.deleteFrom('connections').execute();
    expect((await run('replay', String(accepted?.id))).err).toContain('was removed');
    expect(await jobKeys()).toEqual([]);
  });
});
