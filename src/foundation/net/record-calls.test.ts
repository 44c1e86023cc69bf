import { expect, it } from 'vitest';
import type { HttpClient, HttpRequest } from './http.ts';
import { maxCalls, recordCalls } from './record-calls.ts';

function recording(response: unknown, headers: Record<string, string> = {}, status = 200) {
  const lines: string[] = [];
  const body = Buffer.from(typeof response === 'string' ? response : JSON.stringify(response));
  const http: HttpClient = {
    request: ({ url }) => Promise.resolve({ status, headers, body, url }),
    stream: () => Promise.reject(new Error('none')),
    close: () => Promise.resolve(),
  };
  const client = recordCalls(http, (line) => lines.push(line));
  const send = async (request: Partial<HttpRequest> = {}) => {
    await client.request({
      url: 'https://api.example/x?token=abc&page=2',
      destination: 'operator',
      ...request,
    });
    return JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
  };
  return { lines, send };
}

it('keeps what tells a fault: ids, times, states, errors and limits', async () => {
  const response = {
    id: 'P1',
    status: 'triggered',
    created_at: '2026-01-05T00:00:00Z',
    count: 3,
    error: { message: 'Not Found for jane@example.com', code: 2100 },
  };
  const { send } = recording(response, { 'x-ratelimit-remaining': '9', 'set-cookie': 'a=b', link: 'x' });
  expect(await send()).toEqual({
    method: 'GET',
    url: 'https://api.example/x?token=[redacted]&page=2',
    status: 200,
    headers: { 'x-ratelimit-remaining': '9', link: 'x' },
    response: { ...response, error: { message: 'Not Found for e-mail', code: 2100 } },
  });
});

it('replaces secrets and the texts of people, equal ones by equal substitutes', async () => {
  const { send } = recording({
    access_token: 'a-secret',
    token_type: 'Bearer',
    name: 'Jane',
    owner: { name: 'Jane', email: 'jane@example.com', avatar: 'https://a.example/jane.png' },
  });
  const call = await send({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer a-secret' },
    body: 'grant_type=refresh_token&refresh_token=b-secret&client_secret=c-secret',
  });
  expect(call).toMatchObject({
    request: { grant_type: 'refresh_token', refresh_token: 'redacted', client_secret: 'redacted' },
    response: {
      access_token: 'redacted',
      token_type: 'Bearer',
      name: 'text-1',
      owner: { name: 'text-1', email: 'text-2', avatar: 'https://a.example/text-3' },
    },
  });
});

it('replaces the names of fields that a customer or the sender of an alert chose', async () => {
  const alert = {
    id: 'A1',
    body: {
      type: 'alert_body',
      details: { 'jane@example.com': { id: 'Salary', status: 'Fired' }, salary_of_jane: 90_000 },
      cef_details: { custom_details: { jane_doe: ['Jane'] } },
    },
    channel: { type: 'api', jane_doe: 'x' },
    attachment: { metadata: { janeDoe: { key: 'Jane' } } },
    custom_properties: [{ jane: 'Doe' }],
    variables: { ids: ['A1'] },
    'Jane Doe': 1,
    [`a${'b'.repeat(100)}`]: 2,
  };
  const answer = await recording({ alerts: [alert] }).send();
  expect(JSON.stringify(answer)).not.toMatch(/jane|salary|fired|doe|bbb|90000/i);
  expect(answer['response']).toMatchObject({
    alerts: [{ id: 'A1', body: { details: { 'text-1': { 'text-2': 'text-3' } } }, variables: {} }],
  });
});

it('replaces what people wrote into fields that elsewhere have ids, and signatures of addresses', async () => {
  const { send } = recording(
    { id: 'P 1 of Jane', state: 'Left by Jane', type: 'alert_body', scope: 'read write' },
    { location: 'https://files.example/a?X-Amz-Signature=deadbeef&x=1' },
  );
  expect(await send()).toMatchObject({
    headers: { location: 'https://files.example/a' },
    response: { id: 'text-1', state: 'text-2', type: 'alert_body', scope: 'read write' },
  });
});

it('keeps messages of errors, and replaces those that people wrote', async () => {
  const commit = { sha: 'a'.repeat(40), commit: { message: 'Fix the login of Jane' } };
  expect((await recording(commit).send())['response']).toEqual({ ...commit, commit: { message: 'text-1' } });
  const errors = [{ message: 'No access', extensions: { userPresentableMessage: 'Ask an administrator' } }];
  expect((await recording({ errors }).send())['response']).toEqual({ errors });
  expect((await recording({ message: 'Not Found' }, {}, 404).send())['response']).toEqual({
    message: 'Not Found',
  });
});

it('is bounded in calls, size and depth', async () => {
  const deep = `${'[{"name":'.repeat(50)}"Jane"${'}]'.repeat(50)}`;
  expect(JSON.stringify(await recording(deep).send())).not.toContain('Jane');
  expect((await recording(`"${'x'.repeat(1_000_000)}"`).send())['response']).toBe('1000002 bytes');
  expect((await recording('<html>Jane').send())['response']).toBe('10 characters that are no JSON');
  const { lines, send } = recording({});
  for (let n = 0; n < maxCalls + 10; n += 1) await send();
  expect(lines).toHaveLength(maxCalls);
});
