import { expect, it } from 'vitest';
import { indexStatus } from '../../../test/support/index-request.ts';
import { workLines } from './work-lines.ts';

const status = indexStatus({ commit: 'a'.repeat(40) });

it('tells that work goes on, how far it is, and how it ended', async () => {
  const end = Promise.withResolvers<typeof status>();
  let tell: (done: number, total: number) => void = () => undefined;
  const lines = workLines((onProgress) => {
    tell = onProgress;
    return end.promise;
  }, 20);
  const next = async (): Promise<unknown> => (await lines.next()).value;
  expect(await next()).toEqual({ alive: true });
  expect(await next()).toEqual({ alive: true });
  tell(1, 10);
  tell(2, 10);
  expect(await next()).toEqual({ progress: { done: 2, total: 10 } });
  expect(await next()).toEqual({ alive: true });
  end.resolve(status);
  expect(await next()).toEqual({ status });
  expect((await lines.next()).done).toBe(true);
});

it('tells what is lacking, and throws what work throws', async () => {
  const lines = workLines(async () => 'lacking');
  expect(await lines.next()).toEqual({ value: { alive: true }, done: false });
  expect(await lines.next()).toEqual({ value: { lacking: true }, done: false });
  const failing = workLines(() => Promise.reject(new Error('broken')));
  await failing.next();
  await expect(failing.next()).rejects.toThrow('broken');
});

it('begins the work though nobody reads', async () => {
  const begun = Promise.withResolvers<void>();
  workLines(async () => {
    begun.resolve();
    return 'lacking';
  });
  await begun.promise;
});
