import { expect, it } from 'vitest';
import { reasonOf } from './past-commits.ts';

const subject = 'fix(pump): stop the pump when the tank is empty';

it('quotes the beginning of a message without what gives no reason', () => {
  const body = `

fix(pump): stop the pump when the tank is empty

# Checklist
- [x] Tests pass
> quoted from the issue

\`\`\`ts
stop(pump) // not a sentence of the message
\`\`\`

    indented('code is no sentence either')

A dry pump overheats within
two minutes. Closing the valve first is too slow!

Fixes #12
Signed-off-by: Ada Lovelace <ada@example.com>`;
  expect(reasonOf({ subject, body })).toBe(
    'A dry pump overheats within two minutes. Closing the valve first is too slow!',
  );
});

it('finds no reason in trailers and references', () => {
  expect(reasonOf({ subject, body: '\n\nCloses: #3\nCo-authored-by: Bob <b@example.com>\n' })).toBe('');
});

it('reads a hostile body in linear time', () => {
  for (const part of ['a. ', '- ', '`', 'fix ', 'A-', '# \n', '. A', '1. '])
    expect(reasonOf({ subject, body: part.repeat(100_000) }).length).toBeLessThan(402);
}, 2_000);
