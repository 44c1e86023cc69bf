import { expect, it } from 'vitest';
import { reasonOf } from './past-commits.ts';

it('quotes the beginning of a message without its trailers', () => {
  const reason = 'A dry pump overheats.\nClosing the valve first is too slow!';
  const trailers = 'Signed-off-by: Ada Lovelace <ada@example.com>\nCo-authored-by: Bob <b@example.com>\n';
  expect(reasonOf({ body: `\n\n${reason}\n\n${trailers}` })).toBe(reason);
  expect(reasonOf({ body: `\n\n${trailers}` })).toBe('');
});

it('reads a hostile body in linear time', () => {
  const { user } = process.cpuUsage();
  for (const part of ['a. ', '- ', '`', 'fix ', 'A-', '# \n', '. A', '1. '])
    expect(reasonOf({ body: part.repeat(100_000) }).length).toBeLessThan(402);
  expect((process.cpuUsage().user - user) / 1000).toBeLessThan(2_000);
});
