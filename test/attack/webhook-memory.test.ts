import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import type { Intake } from '../../src/features/connectors/intake/open-intake.ts';
import type { Keyring } from '../../src/foundation/secrets/keyring.ts';
import { signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { describeEachDatabase, itWhen, type TestDatabase } from '../support/database/databases.ts';
import { openTestHttp, openTestIntake, openTestKeyring, type TestHttp } from '../support/http/http-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { connectTracker } from '../support/webhooks/connected-tracker.ts';

const secret = 'the-secret-of-this-connection';
const mebibyte = 1024 * 1024;

describeEachDatabase('attacks on the memory limit of webhooks', (open, dialect) => {
  let database: TestDatabase;
  let keyring: Keyring;
  let intake: Intake;
  let http: TestHttp;
  let port: number;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    database = await open();
    keyring = await openTestKeyring(database);
    await connectTracker(database, keyring, { secret });
    await serve(openTestIntake(database, keyring, silentLog));
    return async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await http.server.close();
      await intake.close(1_000);
    };
  });

  async function serve(served: Intake): Promise<void> {
    intake = served;
    // One proxy in front, so that a test can use many addresses.
    http = await openTestHttp(database, { intake, http: { trustProxy: true } });
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    port = (http.server.server.address() as AddressInfo).port;
  }

  /** Starts a request whose signature has a valid format. Resolves with everything that was received until its end. */
  function send(from: string, length: number | 'chunked', ...pieces: readonly (Buffer | string)[]) {
    const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
    return sendSigned(from, framing, `Tracker-Signature: ${'0'.repeat(64)}`, pieces);
  }

  function sendSigned(
    from: string,
    framing: string,
    signature: string,
    pieces: readonly (Buffer | string)[],
  ): { readonly socket: Socket; readonly answer: Promise<string> } {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const head = ['POST /api/v1/webhook/tracker HTTP/1.1', 'Host: a', `X-Forwarded-For: ${from}`];
    socket.write(`${[...head, signature, framing].join('\r\n')}\r\n\r\n`);
    for (const piece of pieces) socket.write(piece);
    const answer = (once(socket, 'data') as Promise<[Buffer]>).then(([first]) => String(first));
    answer.catch(() => {});
    return { socket, answer };
  }

  /** Sends all of a body but its last byte. */
  const nearly = (length: number): Buffer => Buffer.alloc(length - 1, 'x');
  const whole = (from: string): Promise<string> => {
    const { headers, body } = signTracker(trackerEvent(), { secret, neutral: true });
    const signature = `Tracker-Signature: ${headers['tracker-signature']}`;
    return sendSigned(from, `Content-Length: ${body.length}`, signature, [body]).answer;
  };

  it.each(['192.0.2.1', '2001:db8:0:1::%'])('let one sender use an eighth (%s)', async (address) => {
    const from = (index: number): string => address.replace('%', String(index + 1));
    const uploads = Array.from({ length: 13 }, (_, index) =>
      send(from(index), 5 * mebibyte, nearly(5 * mebibyte)),
    );
    const answers = await Promise.race(uploads.map(({ answer }) => answer));
    expect(answers).toMatch(/^HTTP\/1\.1 503 [^]*"code":"overloaded"/);
    expect(intake.held).toBeLessThanOrEqual(8 * mebibyte);
    expect(await whole('198.51.100.7')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('leave room for small bodies, however many senders send large ones', async () => {
    const uploads = Array.from({ length: 16 }, (_, index) =>
      send(`192.0.2.${index}`, 5 * mebibyte, nearly(5 * mebibyte)),
    );
    expect(await Promise.race(uploads.map(({ answer }) => answer))).toMatch(/^HTTP\/1\.1 503 /);
    expect(intake.held).toBeLessThanOrEqual(56 * mebibyte);
    expect(await whole('198.51.100.7')).toMatch(/^HTTP\/1\.1 200 /);
    for (const { socket } of uploads) socket.destroy();
    await expect.poll(() => intake.held).toBe(0);
  });

  it('time out a body slower than 64 KiB per second after two seconds, and let others arrive', async () => {
    const started = performance.now();
    const stalled = send('192.0.2.1', 5 * mebibyte, 'x'.repeat(10_000));
    const steady = send('192.0.2.2', 5 * mebibyte, nearly(mebibyte));
    expect(await stalled.answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(performance.now() - started).toBeLessThan(14_000);
    // A megabyte may take 16 s.
    expect(intake.held).toBeGreaterThan(mebibyte / 2);
    steady.socket.destroy();
    await expect.poll(() => intake.held).toBe(0);
  });

  it('count as many bytes as a body in one-byte chunks uses', async () => {
    const before = memoryInUse();
    const bytes = 512 * 1024;
    const { socket } = send('192.0.2.1', 'chunked', Buffer.from('1\r\nx\r\n'.repeat(bytes)));
    await expect.poll(() => intake.held).toBeGreaterThanOrEqual(bytes);
    expect(memoryInUse() - before).toBeLessThan(16 * mebibyte);
    socket.destroy();
    await expect.poll(() => intake.held).toBe(0);
  });

  it('keep nothing of a verified body whose caller has disconnected while it waits to be stored', async () => {
    const stuck = Promise.withResolvers<ReadonlySet<never>>();
    let waiting = 0;
    await http.server.close();
    await serve(
      openTestIntake(database, keyring, silentLog, {
        submit: async () => {
          waiting += 1;
          return stuck.promise;
        },
      }),
    );
    const before = memoryInUse();
    const event = trackerEvent({ data: { description: 'x'.repeat(4 * mebibyte) } });
    const { headers, body } = signTracker(event, { secret, neutral: true });
    const signature = `Tracker-Signature: ${headers['tracker-signature']}`;
    for (let sent = 1; sent <= 20; sent += 1) {
      const { socket } = sendSigned('192.0.2.1', `Content-Length: ${body.length}`, signature, [body]);
      await expect.poll(() => waiting).toBe(sent);
      socket.destroy();
      await expect.poll(() => intake.held).toBe(0);
    }
    await expect.poll(() => memoryInUse() - before).toBeLessThan(40 * mebibyte);
    stuck.resolve(new Set());
  });

  itWhen(dialect === 'postgres')(
    'count a body until it is verified, though its caller has disconnected',
    async () => {
      const release = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const lock = database.transaction(async (tx) => {
        await sql`lock table connections in access exclusive mode`.execute(tx);
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
      try {
        const { body } = signTracker(trackerEvent(), { secret });
        const { socket } = send('192.0.2.1', body.length, body);
        await expect.poll(() => intake.held).toBe(body.length);
        socket.destroy();
        await expect.poll(() => connectionsOf(http)).toBe(0);
        expect(intake.held).toBe(body.length);
      } finally {
        release.resolve();
        await lock;
      }
      await expect.poll(() => intake.held).toBe(0);
    },
  );
});

function connectionsOf({ server }: TestHttp): Promise<number> {
  const counted = Promise.withResolvers<number>();
  server.server.getConnections((error, count) => (error ? counted.reject(error) : counted.resolve(count)));
  return counted.promise;
}

/** Returns the bytes in use after garbage collection. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
