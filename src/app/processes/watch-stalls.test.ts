import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { memoryLog } from '../../../test/support/memory-log.ts';
import { RecentRequests } from '../../surfaces/fastify/recent-requests.ts';
import { type StallWatch, watchStalls } from './watch-stalls.ts';

let watch: StallWatch;
const server = Fastify();
afterEach(async () => {
  watch.stop();
  await server.close();
});

function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

it('names the request that blocked the event loop, and remembers the stall', async () => {
  const recent = new RecentRequests();
  recent.record(server);
  server.get('/blocks/:token', async () => {
    block(700);
    return 'ok';
  });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const { log, lines } = memoryLog();
  watch = watchStalls(log, () => recent.take(), { thresholdMs: 500, checkMs: 20 });
  await sleep(100);
  expect(watch.stalls()).toBeUndefined();

  expect((await fetch(`${origin}/blocks/secret?q=private`)).status).toBe(200);
  await expect.poll(() => watch.stalls()?.count).toBe(1);
  expect(watch.stalls()?.longestMs).toBeGreaterThan(500);
  expect(watch.stalls()?.lastAt).toBeGreaterThan(Date.now() - 60_000);
  const ran = [{ requestId: expect.any(String), method: 'GET', path: '/blocks/:token' }];
  expect(lines).toMatchObject([{ msg: 'the event loop stood still; requests had to wait', ran }]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|private/);
});
