import { expect, it } from 'vitest';
import { indexStatus } from '../../../test/support/codesearch/index-request.ts';
import { workLines } from './work-lines.ts';

const status = indexStatus({ commit: 'a'.repeat(40) });

it('yields heartbeats, progress and the outcome', async () => {
  const end = Promise.withResolvers<typeof status>();
  let report: (done: number, total: number) => void = () => undefined;
  const lines = workLines((onProgress) => {
    report = onProgress;
    return end.promise;
  }, 20);
  const next = async (): Promise<unknown> => (await lines.next()).value;
  expect(await next()).toEqual({ alive: true });
  expect(await next()).toEqual({ alive: true });
  report(1, 10);
  report(2, 10);
  expect(await next()).toEqual({ progress: { done: 2, total: 10 } });
  expect(await next()).toEqual({ alive: true });
  end.resolve(status);
  expect(await next()).toEqual({ status });
  expect((await lines.next()).done).toBe(true);
});

it('yields that data is lacking, and throws the error of the work', async () => {
  const lines = workLines(async () => 'lacking');
  expect(await lines.next()).toEqual({ value: { alive: true }, done: false });
  expect(await lines.next()).toEqual({ value: { lacking: true }, done: false });
  const failing = workLines(() => Promise.reject(new Error('broken')));
  await failing.next();
  await expect(failing.next()).rejects.toThrow('broken');
});

it('starts the work even if nothing is read', async () => {
  const started = Promise.withResolvers<void>();
  workLines(async () => {
    started.resolve();
    return 'lacking';
  });
  await started.promise;
});
