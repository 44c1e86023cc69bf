import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { signTracker, trackerEvent } from '../../../test/standins/webhook-sender.ts';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
import { hostEnvironment } from '../../../test/support/database/host-environment.ts';
import { openTestIntake, openTestKeyring } from '../../../test/support/http/http-server.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { connectTracker } from '../../../test/support/webhooks/connected-tracker.ts';
import { trackerIntake } from '../../../test/support/webhooks/tracker-intake.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';

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
    const send = (event: object, secret = 'good') =>
      trackerIntake(intake).receive(signTracker(event, { secret }));
    await send(trackerEvent({ id: 'issue-1' }));
    await send(trackerEvent({ id: 'issue-2' }));
    await send(trackerEvent({ type: 'Invention' }));
    await send(trackerEvent(), 'wrong').catch(() => undefined);
    await intake.close(0);
  });

  async function run(...words: readonly string[]) {
    const { code, stdout, stderr } = await runCli(['deliveries', ...words], {
      env: hostEnvironment(database),
    });
    return { code, out: stdout, err: stderr };
  }
  const list = async (...words: readonly string[]): Promise<Listed> => {
    const { code, out, err } = await run('list', ...words, '--json');
    expect({ code, err }).toMatchObject({ code: 0 });
    return JSON.parse(out) as Listed;
  };
  const jobKeys = async () =>
    (await database.queries.selectFrom('jobs').select('key').orderBy('key').execute()).map(({ key }) => key);

  it('lists deliveries newest first, page by page, with all stored fields', async () => {
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

  it('filters the list by connection, outcome and time', async () => {
    expect((await list('--connection', connection)).items).toHaveLength(3);
    expect((await list('--outcome', 'rejected')).items).toHaveLength(1);
    expect((await list('--since', '1h')).items).toHaveLength(4);
    expect((await list('--since', '2999-01-01T00:00:00Z')).items).toHaveLength(0);
    expect(await run('list', '--since', 'yesterday')).toMatchObject({ code: 2 });
    expect((await run('list')).out).toMatch(
      /^RECEIVED .*\n.* rejected +signature_invalid .*\n.* ignored +unknown_type .*\n.* accepted .* issue issue-2 .*\n.* issue issue-1 /,
    );
    expect((await run('list', '--since', '2999-01-01T00:00:00Z')).err).toContain(
      'Run "orgctx deliveries list"',
    );
  });

  it('replays an accepted delivery repeatedly into one job', async () => {
    const accepted = (await list('--outcome', 'accepted')).items.at(-1);
    await database.queries.deleteFrom('jobs').execute();
    for (let times = 0; times < 2; times += 1) {
      expect(await run('replay', String(accepted?.id), '--json')).toMatchObject({
        code: 0,
        out: '{"replayed":1}\n',
      });
    }
    const start = String(accepted?.id).slice(0, 23);
    expect(await run('replay', start)).toMatchObject({ code: 0, out: '1 delivery replayed.\n' });
    expect(await run('replay', 'abc')).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no delivery "abc"') as string,
    });
    expect(await jobKeys()).toEqual([`${connection}:issue:issue-1`]);
    expect((await list('--outcome', 'accepted')).items.at(-1)?.replayedAt).toMatch(/Z$/);
  });

  it('replays the deliveries of a connection since a time', async () => {
    await database.queries.deleteFrom('jobs').execute();
    const since = ['--since', '1h', '--connection', connection];
    expect(await run('replay', ...since)).toMatchObject({ code: 0, out: '2 deliveries replayed.\n' });
    expect(await jobKeys()).toEqual([`${connection}:issue:issue-1`, `${connection}:issue:issue-2`]);
    expect(await run('replay', '--since', '1h')).toMatchObject({ code: 2 });
    expect(await run('replay')).toMatchObject({ code: 2 });
  });

  it('logs the deliveries of each transaction, also if a later one fails', async () => {
    const ids = (await list('--outcome', 'accepted')).items.map(({ id }) => id);
    const program = join(import.meta.dirname, '../../../bin/orgctx.ts');
    const unknown = '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10';
    const words = ['deliveries', 'replay', ...ids, unknown];
    const ran = promisify(execFile)(process.execPath, [program, ...words], {
      env: { PATH: process.env['PATH'], ...hostEnvironment(database) },
    });
    const { stderr } = await ran.catch((error: { stderr: string }) => error);
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(
      ids.map((deliveryId) => ({
        name: 'deliveries',
        audit: 'deliveries.replayed',
        deliveryId,
        replayed: 1,
      })),
    );
  });

  it('refuses deliveries without effect, of a removed connection, and unknown ones', async () => {
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
    await database.queries.deleteFrom('deliveries').execute();
    expect(await run('list')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('No webhook arrived in the last 14 days. Check that') as string,
    });
  });
});
