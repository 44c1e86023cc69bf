import { expect, it } from 'vitest';
import { focusLine } from './focus-line.ts';

const lines = [
  'def send(self, name, age=None):',
  '    """Sends a file."""',
  '    path = self.root / name',
  '    if not path.exists():',
  '        raise NotFound(name)',
  '    headers = {}',
  '    for key, text in self.headers.items():',
  '        headers[key] = text',
  '    self.log(name)',
  '    self.count += 1',
  '    if age is not None:',
  '        headers["cache-control"] = f"max-age={age}"',
  '    return Reply(path, headers)',
];
const body = { lines, from: 2, to: lines.length };
const rarity = (word: string): number => (word === 'name' ? 0.1 : 1);

it.each([
  ['what if the path of a file does not exist', ['path', 'exist'], 3],
  ['which cache control is sent for an age', ['cache', 'control', 'age'], 11],
  ['words that it does not say', ['quorum'], undefined],
])('begins where the lines say most: %s', (_, terms, line) => {
  expect(focusLine(body, terms, rarity)).toBe(line);
});

it('prefers a rare word to a common one', () => {
  const common = Array.from({ length: 20 }, () => '    log(name)');
  const long = [...common, '    count += 1', ...common];
  expect(focusLine({ lines: long, from: 0, to: long.length }, ['name', 'count'], rarity)).toBe(16);
});

it('takes no longer than a linear search of many lines', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => `alpha beta gamma delta ${n}`.repeat(40));
  const started = performance.now();
  focusLine({ lines: many, from: 1, to: many.length }, ['alpha', 'delta'], rarity);
  expect(performance.now() - started).toBeLessThan(1_000);
});
