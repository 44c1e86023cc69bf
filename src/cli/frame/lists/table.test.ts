import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openChannel } from '../channel.ts';
import { ageOf, ageOfTime, untilTime } from './age.ts';
import { shortIds } from './short-ids.ts';
import { type Column, formatTable } from './table.ts';

interface Item {
  readonly name: string;
  readonly source: string;
  readonly error: string;
}

const columns: readonly Column<Item>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'SOURCE', cell: ({ source }) => source, shrinks: 2 },
  { title: 'ERROR', cell: ({ error }) => error, style: () => 'red', shrinks: 1 },
];

function format(items: readonly Item[], { terminal = false, width = 80 } = {}): string {
  const stream = Object.assign(new PassThrough(), { isTTY: terminal, columns: width });
  const flags = { json: false, noInput: false, noColor: true, verbose: false };
  return formatTable(items, columns, openChannel(stream, {}, flags));
}

const long = { name: 'service', source: `https://git.example.com/${'s'.repeat(40)}`, error: 'e'.repeat(100) };
const short = { name: 'a', source: 'b', error: '' };

describe('a table', () => {
  it('has titles, aligned columns and one line per item', () => {
    expect(format([{ name: 'service', source: 'x\ny', error: 'no\u001b[2J' }, short])).toBe(
      'NAME     SOURCE  ERROR\nservice  x y     no[2J\na        b',
    );
  });

  it('omits a column without content, and is empty without items', () => {
    expect(format([short])).toBe('NAME  SOURCE\na     b');
    expect(format([])).toBe('');
  });

  it('is complete when it is piped, however long', () => {
    expect(format([long])).toContain(`${long.source}  ${long.error}`);
  });

  it('fits a terminal by shortening the least important column first', () => {
    const wide = format([long], { terminal: true, width: 120 }).split('\n');
    expect(wide[1]).toHaveLength(120);
    expect(wide[1]).toContain(`${long.source}  eee`);
    const narrow = format([long], { terminal: true, width: 80 }).split('\n');
    expect(narrow[1]).toHaveLength(80);
    expect(narrow[1]).toMatch(/^service {2}https:\S+…  e{11}…$/);
  });
});

describe('an age', () => {
  it.each([
    [0, 'just now'],
    [59_000, 'just now'],
    [60_000, '1 min ago'],
    [3 * 3_600_000 + 5, '3 h ago'],
    [40 * 86_400_000, '40 d ago'],
    [800 * 86_400_000, '2 y ago'],
    [-5 * 86_400_000, 'in 5 d'],
  ])('of %i ms is %s', (ms, words) => {
    const now = 1_800_000_000_000;
    expect(ageOf(now - ms, now)).toBe(words);
  });

  it('until a planned time is soon within a minute, and if it is overdue', () => {
    const at = (ms: number) => untilTime(new Date(Date.now() + ms).toISOString());
    expect([at(-600_000), at(30_000), at(630_000)]).toEqual(['soon', 'soon', 'in 10 min']);
  });

  it('is that of an ISO time, the given word without one, and unreadable text unchanged', () => {
    expect(ageOfTime('2020-01-01T00:00:00.000Z', 'never')).toMatch(/^\d y ago$/);
    expect([ageOfTime(null, 'never'), ageOfTime('soon', 'never')]).toEqual(['never', 'soon']);
  });
});

describe('short ids', () => {
  it('are the shortest starts that are unique in the list, at least 8 characters', () => {
    const ids = ['01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10', '01980f3f-5f2c-7c3a-9d53-0c2b7b6a9f10'];
    expect(ids.map(shortIds(ids))).toEqual(['01980f3e', '01980f3f']);
    const twins = [ids[0] ?? '', '01980f3e-5f2d-7c3a-9d53-0c2b7b6a9f10'];
    expect(twins.map(shortIds(twins))).toEqual(['01980f3e-5f2c', '01980f3e-5f2d']);
    expect(shortIds(['g-1', 'g-1'])('g-1')).toBe('g-1');
  });
});
