import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import type { Intake } from '../../src/features/connectors/intake/open-intake.ts';
import type { Keyring } from '../../src/foundation/secrets/keyring.ts';
import { hmac, type SignedWebhook, signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { describeEachDatabase, type TestDatabase } from '../support/database/databases.ts';
import { openTestHttp, openTestIntake, openTestKeyring, type TestHttp } from '../support/http/http-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { connectTracker } from '../support/webhooks/connected-tracker.ts';

const secret = 'the-secret-of-this-connection';
const mebibyte = 1024 * 1024;
/** Enough time for a body to be read. */
const shaped = `Tracker-Signature: ${'0'.repeat(64)}`;

describeEachDatabase('a hostile webhook', (open) => {
  let database: TestDatabase;
  let keyring: Keyring;
  let http: TestHttp;
  let intake: Intake;
  let port: number;

  beforeEach(async () => {
    database = await open();
    keyring = await openTestKeyring(database);
    await connectTracker(database, keyring, { secret });
    intake = openTestIntake(database, keyring, silentLog);
    http = await openTestHttp(database, { intake });
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    port = (http.server.server.address() as AddressInfo).port;
    return async () => {
      http.server.server.closeAllConnections();
      await http.server.close();
      await intake.close(1_000);
    };
  });

  async function deliver({ headers, body }: SignedWebhook): Promise<{ status: number; text: string }> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhook/tracker`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return { status: response.status, text: await response.text() };
  }
  const signed = (body: object | Buffer | string = trackerEvent()) => signTracker(body, { secret });
  const accepted = async (): Promise<number> =>
    (
      await database.queries
        .selectFrom('deliveries')
        .select('id')
        .where('outcome', '<>', 'rejected')
        .execute()
    ).length;
  const jobs = async (): Promise<number> =>
    (await database.queries.selectFrom('jobs').select('id').execute()).length;

  /** Sends bytes unchanged and returns everything that is received. */
  async function raw(lines: readonly string[], ...body: readonly (string | Buffer)[]): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    const answer = text(socket).catch(() => '');
    const head = ['POST /api/v1/webhook/tracker HTTP/1.1', 'Host: a', ...lines];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    for (const piece of body) socket.write(piece);
    return answer;
  }

  it('is refused for every signature but the right one, once, in lower-case hex', async () => {
    const { body } = signed();
    const right = hmac(body, secret);
    const wrong = [
      '',
      ' ',
      'null',
      right.toUpperCase(),
      right.slice(0, -1),
      `${right}0`,
      `sha256=${right}`,
      `${right}, ${right}`,
      `${right},${hmac(body, 'another')}`,
      Buffer.from(right, 'hex').toString('base64'),
      '0'.repeat(64),
      'g'.repeat(64),
    ];
    for (const signature of wrong) {
      const answer = await deliver({ headers: { 'tracker-signature': signature }, body });
      expect([signature, answer.status]).toEqual([signature, 401]);
    }
    const both = { 'tracker-signature': right, 'linear-signature': '0'.repeat(64) };
    expect(await deliver({ headers: both, body })).toMatchObject({ status: 401 });
    const twice = await raw(
      [
        `Tracker-Signature: ${right}`,
        `Tracker-Signature: ${right}`,
        `Content-Length: ${body.length}`,
        'Connection: close',
      ],
      body,
    );
    expect(twice).toMatch(/^HTTP\/1\.1 401 /);
    expect([await accepted(), await jobs()]).toEqual([0, 0]);
    expect(
      await deliver({ headers: { 'tracker-signature': right, 'linear-signature': right }, body }),
    ).toMatchObject({
      status: 200,
    });
  });

  it.each(['no signature', 'a malformed signature'])(
    'is answered with %s from the headers, before a byte of the body is sent',
    async (signature) => {
      const header = signature === 'no signature' ? 'X-Any: 1' : 'Tracker-Signature: none';
      expect(await raw([header, `Content-Length: ${5 * mebibyte}`])).toMatch(
        /^HTTP\/1\.1 401 [^]*"code":"signature_invalid"/,
      );
      await database.queries.deleteFrom('connection_secrets').execute();
      // If no connection has a secret, that is the error, whatever is signed.
      expect(await raw([header, `Content-Length: ${5 * mebibyte}`])).toMatch(
        /^HTTP\/1\.1 503 [^]*"code":"webhook_secret_missing"/,
      );
      expect(intake.held).toBe(0);
    },
  );

  it('learns nothing about authentication, and no secret', async () => {
    const answer = await http.server.inject({
      method: 'POST',
      url: '/api/v1/webhook/tracker',
      payload: '{}',
    });
    const forged = await deliver(signTracker(trackerEvent(), { secret: 'guess' }));
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(forged.text).not.toContain(secret);
    expect(JSON.parse(forged.text)).toMatchObject({ code: 'signature_invalid' });
  });

  it('is refused when it is sent again after its time', async () => {
    const stale = signed(trackerEvent({ webhookTimestamp: Date.now() - 61_000 }));
    expect(await deliver(stale)).toMatchObject({ status: 401 });
  });

  it('is refused when a proxy has parsed and rewritten its body', async () => {
    const spaced = signed(`  ${JSON.stringify(trackerEvent(), null, 2)}`);
    expect(await deliver(spaced)).toMatchObject({ status: 200 });
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(spaced.body.toString())));
    expect(await deliver({ headers: spaced.headers, body: rewritten })).toMatchObject({ status: 401 });
  });

  it('is not decompressed: a signature covers the bytes that arrived', async () => {
    const { headers, body } = signed();
    const encoded = { ...headers, 'content-encoding': 'gzip' };
    // Decompressed, the first would verify, and the second would take 50 MiB.
    expect(await deliver({ headers: encoded, body: gzipSync(body) })).toMatchObject({ status: 503 });
    const bomb = signed(gzipSync(Buffer.alloc(50 * mebibyte)));
    const sent = { ...bomb, headers: { ...bomb.headers, 'content-encoding': 'gzip' } };
    expect((await deliver(sent)).text).toContain('webhook_secret_missing');
    expect(await accepted()).toBe(0);
  });

  it('may have any content type, or none', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'x', '']) {
      const { headers, body } = signed();
      const answer = await http.server.inject({
        method: 'POST',
        url: '/api/v1/webhook/tracker',
        headers: { ...headers, 'content-type': type },
        payload: body,
      });
      expect([type, answer.statusCode]).toEqual([type, 200]);
    }
  });

  it.each(['Content-Length', 'Transfer-Encoding'])('is read up to 5 MiB (%s)', async (framing) => {
    const big = Buffer.alloc(6 * mebibyte, 'x');
    const chunk = Buffer.concat([Buffer.from(`${big.length.toString(16)}\r\n`), big]);
    const answer = await (framing === 'Content-Length'
      ? raw([shaped, `Content-Length: ${big.length}`], 'x')
      : raw([shaped, 'Transfer-Encoding: chunked'], chunk));
    // A caller that continues to send may lose the answer with the connection. Either way nothing is kept.
    expect(answer).toMatch(/^(?:HTTP\/1\.1 413 [^]*"code":"payload_too_large"|$)/);
    await expect.poll(() => intake.held).toBe(0);
    expect(await deliver(signed())).toMatchObject({ status: 200 });
  });

  it('may have a body of just under 5 MiB', async () => {
    const event = trackerEvent({ data: { description: 'x'.repeat(5 * mebibyte - 3_000) } });
    expect(await deliver(signed(event))).toMatchObject({ status: 200 });
  });

  it('is committed once verified, although the caller disconnects', async () => {
    const { headers, body } = signed();
    const socket = connect(port, '127.0.0.1');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const head = [
      'POST /api/v1/webhook/tracker HTTP/1.1',
      'Host: a',
      `Content-Length: ${body.length}`,
      ...lines,
    ];
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy());
    await expect.poll(accepted).toBe(1);
    expect(await jobs()).toBe(1);
  });

  it.each([
    ['twice', '{"organizationId":"workspace-2","organizationId":"workspace-1",REST}'],
    ['nested', '{"data":{"id":"i","organizationId":"workspace-2"},"organizationId":"workspace-1",REST}'],
    ['in a prototype', '{"__proto__":{"organizationId":"workspace-2"},"organizationId":"workspace-1",REST}'],
  ])('with an account named %s counts for the account that the reader sees', async (_how, shape) => {
    const other = await connectTracker(database, keyring, { account: 'workspace-2', secret: 'another' });
    const rest = `"type":"Issue","action":"update","webhookTimestamp":${Date.now()},"data":{"id":"i"}`;
    const body = shape.replace('REST', rest);
    expect(await deliver(signTracker(body, { secret: 'another' }))).toMatchObject({ status: 401 });
    expect(await deliver(signTracker(body, { secret }))).toMatchObject({ status: 200 });
    const rows = await database.queries.selectFrom('deliveries').select('connection_id').execute();
    expect(rows.some((row) => row.connection_id === other)).toBe(false);
  });

  it('with an account under an escaped name is refused: no provider escapes it', async () => {
    await connectTracker(database, keyring, { account: 'workspace-2', secret: 'another' });
    const names = String.raw`"organizationId":"workspace-2","organization\u0049d":"workspace-1"`;
    const body = `{${names},"type":"Issue","webhookTimestamp":${Date.now()},"data":{"id":"i"}}`;
    expect(await deliver(signTracker(body, { secret }))).toMatchObject({ status: 401 });
    expect(await deliver(signTracker(body, { secret: 'another' }))).toMatchObject({ status: 503 });
  });

  it('cannot use up the id of a delivery without a valid signature', async () => {
    const good = signTracker(trackerEvent(), { secret, deliveryId: 'delivery-1' });
    const forged = signTracker(trackerEvent(), { secret: 'guess', deliveryId: 'delivery-1' });
    expect(await deliver(forged)).toMatchObject({ status: 401 });
    const stored = database.queries.selectFrom('deliveries').select('outcome');
    await expect.poll(() => stored.execute()).toEqual([{ outcome: 'rejected' }]);
    expect(await deliver(good)).toMatchObject({ status: 200, text: '{"status":"accepted"}' });
  });

  it('with a hostile body is answered by the rules, signed or unsigned', async () => {
    const time = `"webhookTimestamp":${Date.now()}`;
    const bodies: (string | Buffer)[] = [
      '',
      '\0',
      '[['.repeat(500_000),
      `{"organizationId":"workspace-1",${time},"type":"Issue","data":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      '{"organizationId":"workspace-1","webhookTimestamp":1e999}',
      '{"organizationId":"workspace-1","webhookTimestamp":-0,"type":"Issue"}',
      `{"organizationId":"workspace-1",${time},"type":"Issue","data":{"id":${'9'.repeat(5_000)}}}`,
      `{"organizationId":"workspace-1",${time},"type":"Issue","data":{"id":"a\\u0000b"}}`,
      `{"organizationId":"workspace-1",${time},"type":"a\\u0000b","action":"\\ud800"}`,
      `{"organizationId":"workspace-1",${time},"__proto__":{"type":"Issue"}}`,
      `{"organizationId":"workspace-1",${time},"type":"constructor"}`,
      `{"organizationId":"work\\u0000space",${time}}`,
      `{"organizationId":"' or 1=1 --",${time}}`,
      Buffer.concat([
        Buffer.from(`{"organizationId":"workspace-1",${time},"type":"`),
        Buffer.from([0xff, 0xfe, 0x22, 0x7d]),
      ]),
      Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
    ];
    for (const body of bodies) {
      for (const webhook of [signed(body), { headers: {}, body: Buffer.from(body) }]) {
        const { status, text: answer } = await deliver(webhook);
        expect([body.slice(0, 80).toString(), status]).toEqual([
          body.slice(0, 80).toString(),
          expect.toBeOneOf([200, 400, 401, 503]),
        ]);
        if (status === 503) expect(answer).toContain('webhook_secret_missing');
      }
    }
    expect(await jobs()).toBe(0);
  });

  it('with an odd delivery id counts as one without an id', async () => {
    for (const id of ['x'.repeat(5_000), "' or 1=1", '../..', 'ü']) {
      const { headers, body } = signed();
      const answer = await http.server.inject({
        method: 'POST',
        url: '/api/v1/webhook/tracker',
        headers: { ...headers, 'linear-delivery': id },
        payload: body,
      });
      expect([id, answer.statusCode]).toEqual([id, 200]);
    }
    const keys = await database.queries.selectFrom('deliveries').select('delivery_key').execute();
    for (const { delivery_key } of keys) expect(delivery_key).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('is exempt from the limit by address', async () => {
    const limits = { address: 1, credential: 1, user: 1 };
    const limited = await openTestHttp(database, { intake, limits });
    for (let sent = 0; sent < 5; sent += 1) {
      const { headers, body } = signed();
      const request = { method: 'POST', url: '/api/v1/webhook/tracker', headers, payload: body } as const;
      expect((await limited.server.inject(request)).statusCode).toBe(200);
    }
  });

  it('has no method but POST', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await http.server.inject({ method, url: '/api/v1/webhook/tracker' });
      expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'POST']);
    }
  });
});
