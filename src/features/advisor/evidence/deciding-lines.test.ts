import { expect, it } from 'vitest';
import { decidingLines } from './deciding-lines.ts';

const text = [
  '  def send(self, name):',
  '      """Sends a file."""',
  '      path = self.root / name',
  ...Array.from({ length: 30 }, (_, n) => `      self.count(${n})`),
  '      if age is not None:',
  '          headers["cache-control"] = f"max-age={age}"',
  '      return Reply(path, headers)',
].join('\n');

it('keeps a text that fits, without the indentation that its lines share', () => {
  expect(decidingLines('  a\n    b\u001B[31m\n', 'a', 100)).toBe('a\n  b[31m\n');
});

it('shows the first lines and those that say most of the question, and counts the others', () => {
  expect(decidingLines(text, 'Which cache control is sent?', 260)).toBe(
    [
      'def send(self, name):',
      '    """Sends a file."""',
      '    path = self.root / name',
      '… 29 lines',
      '    self.count(29)',
      '    if age is not None:',
      '        headers["cache-control"] = f"max-age={age}"',
      '    return Reply(path, headers)',
    ].join('\n'),
  );
});

it('is never longer than asked, but for the marks of the gaps', () => {
  const lines = decidingLines(text, 'count send age', 200).split('\n');
  expect(lines.filter((line) => !line.startsWith('…')).join('\n').length).toBeLessThanOrEqual(200);
});

it('takes no longer than a linear search of many long lines', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `alpha beta gamma delta ${n}`.repeat(40)).join('\n');
  const started = performance.now();
  decidingLines(many, 'alpha delta', 1_000);
  expect(performance.now() - started).toBeLessThan(5_000);
});
