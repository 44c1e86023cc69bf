import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { describeEachDatabase, type TestDatabase } from '../support/database/databases.ts';
import { openTestKeyring } from '../support/http/http-server.ts';
import { start } from '../support/program/program.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { connectTracker } from '../support/webhooks/connected-tracker.ts';

const connections = 50;
/** Number of acknowledged deliveries before the kill, and again after the restart. */
const acknowledgedEachTime = 500;
/** Webhook secret of the deployment: the connection has none. */
const secret = 'the-secret-of-the-deployment';
const authSecret = 'k'.repeat(40);

describeEachDatabase('serve killed with SIGKILL under a load of webhooks', (open) => {
  it('keeps every delivery that it acknowledged with 200, and its job', async () => {
    const database = await open();
    await connectTracker(database, await openTestKeyring(database, authSecret), {});
    const dataDir = temporaryFolder();
    let serve = await startServe(database, dataDir, 0);
    const url = `${serve.baseUrl}/api/v1/webhook/tracker`;
    const load = sendLoad(url);
    const count = () => load.acknowledged.length;

    await expect.poll(count).toBeGreaterThan(acknowledgedEachTime);
    await serve.program.stop('SIGKILL');
    const before = count();
    serve = await startServe(database, dataDir, Number(new URL(url).port));
    await expect.poll(count).toBeGreaterThan(before + acknowledgedEachTime);
    await load.stop();
    await serve.program.stop();

    const { acknowledged, refused } = load;
    expect(refused).toEqual([]);
    // Uses new connections, so that the test reads only committed data.
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
  /** Ids of the deliveries that were answered with 200 accepted. Each is also the id of an entity. */
  readonly acknowledged: readonly string[];
  /** All other responses. */
  readonly refused: readonly string[];
  /** Resolves after the last response. */
  stop(): Promise<unknown>;
}

/** Sends deliveries from many senders, one at a time each. They retry while nothing listens. */
function sendLoad(url: string): Load {
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const stopping = new AbortController();
  const sender = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const id = randomUUID();
      const answer = await send(url, id).catch(() => undefined);
      if (answer === undefined) await sleep(20);
      else if (answer === '200 {"status":"accepted"}') acknowledged.push(id);
      else refused.push(answer);
    }
  };
  const senders = Promise.all(Array.from({ length: connections }, sender));
  return {
    acknowledged,
    refused,
    stop: () => {
      stopping.abort();
      return senders;
    },
  };
}

async function send(url: string, id: string): Promise<string> {
  const { headers, body } = signTracker(trackerEvent({ id }), { secret, deliveryId: id });
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  return `${response.status} ${await response.text()}`;
}
