import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trackerWebhooks } from '../../../src/features/connectors/tracker/webhook.ts';
import { type Listening, listen } from '../../standins/tracker/http.ts';
import { startTracker, type Tracker } from '../../standins/tracker/tracker.ts';
import { signPayload } from '../../standins/tracker/webhooks.ts';

const secret = 'a secret of the stand-in';

interface Received {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

let tracker: Tracker;
let receiver: Listening;
let received: Received[];
let status: number;

beforeEach(async () => {
  tracker = await startTracker();
  received = [];
  status = 200;
  receiver = await listen((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      received.push({ body: Buffer.concat(chunks), headers: message.headers as Record<string, string> });
      response.writeHead(status).end();
    });
  });
  tracker.webhooks.webhook = { url: `${receiver.origin}/webhook`, secret };
});

afterEach(async () => {
  await Promise.all([tracker.close(), receiver.close()]);
});

function verify({ body, headers }: Received) {
  return new LinearWebhookClient(secret).parseData(body, headers['linear-signature'] ?? '', undefined);
}

describe('webhooks of the stand-in', () => {
  it("verify with the vendor's client and with ours, for every change of every kind", async () => {
    const { workspace, webhooks } = tracker;
    const team = workspace.add('Team');
    const issue = workspace.add('Issue', { teamId: team.id });
    for (const type of ['Comment', 'Attachment', 'CustomerNeed']) workspace.add(type, { issueId: issue.id });
    for (const type of ['Document', 'Project', 'Initiative', 'Cycle', 'IssueLabel', 'Customer'])
      workspace.add(type);
    workspace.update(issue, { title: 'Für 2 €' });
    workspace.trash(issue);
    webhooks.authorizationRevoked('client');
    await webhooks.settled();
    expect(received).toHaveLength(13);
    for (const one of received) {
      expect(verify(one)).toMatchObject({ organizationId: workspace.id });
      expect(trackerWebhooks.verifierOf(one.headers)?.(one.body, secret)).toBe(true);
      expect(trackerWebhooks.peekAccounts(one)).toContain(workspace.id);
      expect(trackerWebhooks.deliveryKeyOf(one)).toBe(one.headers['linear-delivery']);
    }
    const events = received.map((one) => trackerWebhooks.read(one).name);
    expect(events).toContain('Issue.update');
    expect(events).toContain('OAuthApp.revoked');
  });

  it.each([
    ['a wrong secret', { wrongSecret: true }],
    ['bytes that a proxy wrote anew', { reserialized: true }],
  ])('do not verify with %s', async (_, failure) => {
    Object.assign(tracker.webhooks, failure);
    tracker.workspace.add('Team');
    tracker.workspace.add('IssueLabel');
    await tracker.webhooks.settled();
    const [one] = received;
    if (one === undefined) throw new Error('expected a webhook');
    expect(() => verify(one)).toThrow(/signature/i);
    expect(trackerWebhooks.verifierOf(one.headers)?.(one.body, secret)).toBe(false);
  });

  it('are stale after a minute, as the vendor judges', () => {
    const event = { action: 'update', type: 'Issue', organizationId: 'x', data: {} };
    for (const [age, accepted] of [
      [55_000, true],
      [65_000, false],
      [-65_000, false],
    ] as const) {
      const webhookTimestamp = Date.now() - age;
      const payload = { ...event, webhookTimestamp };
      const { body, headers } = signPayload(payload, { id: 'id', event: 'Issue', secret });
      const client = new LinearWebhookClient(secret);
      const judge = (): unknown =>
        client.parseData(Buffer.from(body), headers['linear-signature'] ?? '', webhookTimestamp);
      if (accepted) expect(judge()).toMatchObject({ type: 'Issue' });
      else expect(judge).toThrow(/timestamp/i);
    }
  });

  it('are held, reordered, duplicated, dropped and repeated under the same id', async () => {
    const { webhooks, workspace } = tracker;
    Object.assign(webhooks, { held: true, duplicated: true });
    const [first, second] = [workspace.add('IssueLabel'), workspace.add('IssueLabel')];
    expect(received).toEqual([]);
    await webhooks.release((deliveries) => deliveries.toReversed());
    const ids = received.map(
      ({ body }) => (JSON.parse(body.toString('utf8')) as { data: { id: string } }).data.id,
    );
    expect(ids).toEqual([second.id, second.id, first.id, first.id]);
    Object.assign(webhooks, { held: false, duplicated: false, dropped: true });
    workspace.add('IssueLabel');
    await webhooks.settled();
    expect(received).toHaveLength(4);
    Object.assign(webhooks, { dropped: false, restamped: true });
    status = 503;
    workspace.add('IssueLabel');
    await webhooks.settled();
    workspace.advance(60_000);
    status = 200;
    await webhooks.retryFailed();
    const [attempt, retry] = received.slice(4).map(({ body, headers }) => ({
      id: headers['linear-delivery'],
      at: (JSON.parse(body.toString('utf8')) as { webhookTimestamp: number }).webhookTimestamp,
    }));
    expect(retry?.id).toBe(attempt?.id);
    expect((retry?.at ?? 0) - (attempt?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
  });
});

describe('the API of the stand-in', () => {
  async function ask(query: string, token?: string) {
    const issued = token ?? tracker.oauth.issue(tracker.addApp('https://ctx.example/callback')).accessToken;
    const response = await fetch(tracker.settings.TRACKER_API_URL, {
      method: 'POST',
      headers: { authorization: `Bearer ${issued}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  it.each([
    ['an unknown field', '{ viewer { nam } }', 'Did you mean'],
    ['more than 250 entities', '{ issues(first: 251) { nodes { id } } }', 'must not be greater than 250'],
    [
      'a query that costs too much',
      '{ issues(first: 250) { nodes { comments { nodes { id } } } } }',
      'Query too complex',
    ],
    ['an entity that does not exist', '{ issue(id: "x") { id } }', 'Entity not found: Issue'],
  ])('refuses %s', async (_, query, words) => {
    const { status: given, text } = await ask(query);
    expect(given).toBe(400);
    expect(text).toContain(words);
  });

  it('returns 50 entities by default, and counts them', async () => {
    const team = tracker.workspace.add('Team');
    for (let n = 0; n < 51; n += 1) tracker.workspace.add('Issue', { teamId: team.id });
    const { text, headers } = await ask('{ issues { nodes { id } } }');
    expect(text.match(/"id"/g)).toHaveLength(50);
    expect(Number(headers.get('x-complexity'))).toBe(55);
    expect(Number(headers.get('x-ratelimit-requests-remaining'))).toBe(4_999);
  });

  it('refuses unknown tokens and routes', async () => {
    expect((await ask('{ viewer { id } }', 'x')).status).toBe(401);
    expect((await fetch(`${tracker.settings.TRACKER_API_URL}/x`)).status).toBe(404);
    expect(tracker.strays()).toEqual(['GET /graphql/x']);
  });

  it('keeps the former identifier of an issue that moved', async () => {
    const [eng, ops] = ['ENG', 'OPS'].map((key) => tracker.workspace.add('Team', { key }));
    const issue = tracker.workspace.add('Issue', { teamId: eng?.id });
    if (ops !== undefined) tracker.workspace.move(issue, ops);
    const { text } = await ask('{ issue(id: "OPS-1") { identifier previousIdentifiers team { key } } }');
    expect(JSON.parse(text)).toMatchObject({
      data: { issue: { identifier: 'OPS-1', previousIdentifiers: ['ENG-1'], team: { key: 'OPS' } } },
    });
  });
});

describe('the uploads host of the stand-in', () => {
  const get = (url: string, token = tracker.oauth.issue(tracker.addApp('https://ctx.example')).accessToken) =>
    fetch(url, { redirect: 'manual', headers: { authorization: `Bearer ${token}` } });

  it('gives files to valid tokens only, and misbehaves as told', async () => {
    const upload = tracker.uploads.add('a.png', 'content', 'image/png');
    expect(await (await get(upload.url)).text()).toBe('content');
    expect((await get(upload.url, 'x')).status).toBe(401);
    upload.behaviour = { redirectTo: 'http://169.254.169.254/' };
    expect((await get(upload.url)).headers.get('location')).toBe('http://169.254.169.254/');
    upload.behaviour = 'login page';
    expect((await get(upload.url)).headers.get('content-type')).toContain('text/html');
    for (const behaviour of ['long content-length', 'reset'] as const) {
      upload.behaviour = behaviour;
      await expect(get(upload.url).then((response) => response.text())).rejects.toThrow();
    }
    upload.behaviour = 'chunked';
    expect((await get(upload.url)).headers.get('content-length')).toBeNull();
  });
});

describe('OAuth of the stand-in', () => {
  const redirectUri = 'https://ctx.example/callback';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

  async function authorize(changes: Readonly<Record<string, string>> = {}) {
    const app = tracker.addApp(redirectUri);
    const url = new URL(tracker.settings.TRACKER_AUTHORIZE_URL);
    const parameters = {
      client_id: app.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'read',
      state: 's',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { app, target: await tracker.visit(url.href) };
  }

  async function exchange(
    app: { clientId: string; clientSecret: string },
    code: string,
    codeVerifier = verifier,
  ) {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    };
    const client = { client_id: app.clientId, client_secret: app.clientSecret };
    const body = new URLSearchParams({ ...form, ...client });
    return (await fetch(tracker.settings.TRACKER_TOKEN_URL, { method: 'POST', body })).status;
  }

  it('gives out tokens for a code once, for 10 minutes and to the right verifier', async () => {
    const { app, target } = await authorize();
    const code = target.searchParams.get('code') ?? '';
    expect(target.searchParams.get('state')).toBe('s');
    expect(await exchange(app, code)).toBe(200);
    expect(await exchange(app, code)).toBe(400);
    const other = await authorize();
    expect(await exchange(other.app, other.target.searchParams.get('code') ?? '', 'x'.repeat(43))).toBe(400);
    const late = await authorize();
    tracker.workspace.advance(600_001);
    expect(await exchange(late.app, late.target.searchParams.get('code') ?? '')).toBe(400);
  });

  it.each([
    ['another redirect URI', { redirect_uri: `${redirectUri}/` }],
    ['a scope with spaces', { scope: 'read write' }],
    ['an unknown parameter', { access_type: 'offline' }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
  ])('refuses %s', async (_, changes) => {
    await expect(authorize(changes)).rejects.toThrow(/answered 400/);
  });

  it('sends the person back with an error who denies', async () => {
    tracker.oauth.decision = 'deny';
    const { target } = await authorize();
    expect(target.searchParams.get('error')).toBe('access_denied');
  });
});
