import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { connectTracker } from '../support/connected-tracker.ts';
import { describeEachDatabase, type TestDatabase } from '../support/databases.ts';
import { openTestKeyring } from '../support/http-server.ts';
import { start } from '../support/program.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const connections = 50;
const loadMs = 10_000;
/** The deployment's: the connection has none of its own. */
const secret = 'the-secret-of-the-deployment';
const authSecret = 'k'.repeat(40);

describeEachDatabase('serve killed with SIGKILL under a load of webhooks', (open) => {
  it('has every delivery that it answered with 200, and its job', async () => {
    const database = await open();
    await connectTracker(database, await openTestKeyring(database, authSecret), {});
    const dataDir = temporaryFolder();
    let serve = await startServe(database, dataDir, 0);
    const url = `${serve.baseUrl}/api/v1/webhook/tracker`;
    const load = sendLoad(url, performance.now() + loadMs);

    await sleep(loadMs / 2);
    await serve.program.stop('SIGKILL');
    const before = load.acknowledged.length;
    serve = await startServe(database, dataDir, Number(new URL(url).port));
    await load.ended;
    await serve.program.stop();

    const { acknowledged, refused } = load;
    expect(refused).toEqual([]);
    expect(before).toBeGreaterThan(connections);
    expect(acknowledged.length).toBeGreaterThan(before);
    // With connections of its own: nothing is read that only the killed process knew.
    const after = await openDatabase(database.options, silentLog);
    const rows = await after.queries.selectFrom('deliveries').select('delivery_key').execute();
    const jobs = await after.queries.selectFrom('jobs').select('payload').execute();
    await after.close();
    const stored = new Set(rows.map(({ delivery_key }) => delivery_key));
    const entities = new Set(jobs.map(({ payload }) => (JSON.parse(payload) as { id: string }).id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(acknowledged.filter((id) => !entities.has(id))).toEqual([]);
  });
});

async function startServe({ options }: TestDatabase, dataDir: string, port: number) {
  const program = start(['serve', '--no-worker', '--port', String(port), '--data-dir', dataDir], {
    env: {
      DATABASE_URL: options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url,
      AUTH_SECRET: authSecret,
      TRACKER_WEBHOOK_SECRET: secret,
    },
    cwd: join(dataDir),
  });
  const log = await program.line((text) => text.includes('"listening"'));
  const { baseUrl } = JSON.parse(log.split('\n')[0] ?? '') as { baseUrl: string };
  return { program, baseUrl };
}

interface Load {
  /** Ids of deliveries that were answered with 200 accepted; each is the id of an entity of its own, too. */
  readonly acknowledged: readonly string[];
  /** Other answers than that. */
  readonly refused: readonly string[];
  readonly ended: Promise<unknown>;
}

/** As many senders as connections, each with one delivery under way. While nobody listens, they try on. */
function sendLoad(url: string, until: number): Load {
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const sender = async (): Promise<void> => {
    while (performance.now() < until) {
      const id = randomUUID();
      const answer = await send(url, id).catch(() => undefined);
      if (answer === undefined) await sleep(20);
      else if (answer === '200 {"status":"accepted"}') acknowledged.push(id);
      else refused.push(answer);
    }
  };
  return { acknowledged, refused, ended: Promise.all(Array.from({ length: connections }, sender)) };
}

async function send(url: string, id: string): Promise<string> {
  const { headers, body } = signTracker(trackerEvent({ id }), { secret, deliveryId: id });
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  return `${response.status} ${await response.text()}`;
}
