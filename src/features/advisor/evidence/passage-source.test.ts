import { expect, it } from 'vitest';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import { passageExcerpt } from './passage-source.ts';

const text = [
  '  def send(self, name):',
  '      """Sends a file."""',
  '      path = self.root / name',
  ...Array.from({ length: 30 }, (_, n) => `      self.count(${n})`),
  '      if age is not None:',
  '          headers["cache-control"] = f"max-age={age}"',
  '      return Reply(path, headers)',
].join('\n');

function linesOf(whole: string) {
  const lines = whole.split('\n').map((one, at) => ({ line: at + 1, text: one }));
  return { lines, endLine: lines.length, values: [] };
}

it('keeps a text that fits, without the indentation that its lines share', () => {
  expect(passageExcerpt(linesOf('  a\n    b\u001B[31m\n'), 'a', 100)).toBe('a\n  b[31m\n');
});

it('shows the first lines and those that say most of the question, and counts the others', () => {
  expect(passageExcerpt(linesOf(text), 'Which cache control is sent?', 260)).toBe(
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
  const lines = passageExcerpt(linesOf(text), 'count send age', 200).split('\n');
  expect(lines.filter((line) => !line.startsWith('…')).join('\n').length).toBeLessThanOrEqual(200);
});

it('takes no longer than a linear search of many long lines', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `alpha beta gamma delta ${n}`.repeat(40)).join('\n');
  const processorMs = measureProcessor();
  passageExcerpt(linesOf(many), 'alpha delta', 1_000);
  expect(processorMs()).toBeLessThan(5_000);
});

it('shows lines with numbers to a question for a value', () => {
  const lines = [...Array.from({ length: 60 }, () => 'the.limit.of(calls)'), 'most = 512'].join('\n');
  expect(passageExcerpt(linesOf(lines), 'How many calls are allowed?', 200)).toContain('most = 512');
});
