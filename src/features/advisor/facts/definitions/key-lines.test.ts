import { expect, it } from 'vitest';
import { commentsOf } from './comments.ts';
import { keyLinesOf } from './key-lines.ts';

const lines = [
  'def adjust_delay(self, slot, latency):',
  '    # If a server needs long to respond,',
  '    # it gets fewer requests.',
  '    target = latency / self.concurrency',
  '    delays = []',
  '    new_delay = (slot.delay + target) / 2.0',
  '    # type: ignore',
  '    log("adjusted")',
  '    if new_delay <= slot.delay:',
  '        return',
];
const body = { lines, from: 1, to: lines.length };

it('quotes the statements that share words with the question', () => {
  expect(keyLinesOf(body, ['compute', 'delay'])).toEqual([
    { line: 6, text: 'new_delay = (slot.delay + target) / 2.0' },
    { line: 9, text: 'if new_delay <= slot.delay:' },
  ]);
  expect(keyLinesOf(body, ['robots'])).toEqual([]);
});

it('joins the comments of a body, except those for tools', () => {
  expect(commentsOf(body)).toEqual([
    { line: 2, text: 'If a server needs long to respond, it gets fewer requests.' },
  ]);
});
