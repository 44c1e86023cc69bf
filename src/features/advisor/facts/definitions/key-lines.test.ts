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
  expect(keyLinesOf(body, ['delay'])).toEqual([
    { line: 6, text: 'new_delay = (slot.delay + target) / 2.0' },
    { line: 9, text: 'if new_delay <= slot.delay:' },
  ]);
  expect(keyLinesOf(body, ['robots'])).toEqual([]);
});

it('quotes no statement that goes on in the next line, and none with one of several words', () => {
  const claim = [
    'async function takeRest() {',
    '  const { leaseRows } = await sql<Claimed>`',
    '    update jobs`;',
    '  const leaseOfRow = claimed(',
    '    rows);',
    '  const lease = rows[0];',
    '  if (lease.claimed) return rows;',
    '}',
  ];
  expect(keyLinesOf({ lines: claim, from: 1, to: claim.length }, ['lease', 'claimed'])).toEqual([
    { line: 7, text: 'if (lease.claimed) return rows;' },
  ]);
});

it('joins the comments of a body, except those for tools', () => {
  expect(commentsOf(body)).toEqual([
    { line: 2, text: 'If a server needs long to respond, it gets fewer requests.' },
  ]);
});

it('reads the comments of the first 400 lines, and of each line the first 400 characters', () => {
  const many = Array.from({ length: 1000 }, (_, at) => (at % 2 === 0 ? `// ${'word '.repeat(200)}` : ''));
  const found = commentsOf({ lines: many, from: 1, to: many.length });
  expect(found.map(({ line }) => line).at(-1)).toBe(399);
  expect(found[0]?.text.length).toBeLessThanOrEqual(400);
});
