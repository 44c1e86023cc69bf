import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../../test/support/run/processor-time.ts';
import { ThinkingFilter } from './thinking-filter.ts';

interface Filtered {
  readonly shown: string;
  readonly retracted: number;
}

function filtered(
  text: string,
  { size = text.length || 1, startsInThinking = false, hasCalls = false } = {},
): Filtered {
  const filter = new ThinkingFilter(startsInThinking);
  let shown = '';
  let retracted = 0;
  const take = (events: ReturnType<ThinkingFilter['push']>) => {
    for (const event of events) {
      if (event.kind === 'text') shown += event.text;
      else {
        shown = '';
        retracted += 1;
      }
    }
  };
  for (let at = 0; at < text.length; at += size) take(filter.push(text.slice(at, at + size)));
  take(filter.end(hasCalls));
  return { shown, retracted };
}

const cases: readonly (readonly [string, string])[] = [
  ['No thinking [1].', 'No thinking [1].'],
  ['<think>secret</think>Plain.', 'Plain.'],
  ['<think>\nsecret `code ` ```\n</think>\n\nPlain.', '\n\nPlain.'],
  ['<THINK>secret</Think>Plain.', 'Plain.'],
  ['<thinking>secret</thinking>Plain.', 'Plain.'],
  ['First.<think>secret</think> Then.<think>more</think> End.', 'First. Then. End.'],
  ['First.<think>never closed', 'First.'],
  ['<think></think>Plain.', 'Plain.'],
  ['<think>secret < / </thin </think>Plain.', 'Plain.'],
  ['a < b, <b>, <thinker> and <thin', 'a < b, <b>, <thinker> and <thin'],
  ['The tag `<think>` is read, `</think>` too.', 'The tag `<think>` is read, `</think>` too.'],
  ['A ``<think> ` x`` end', 'A ``<think> ` x`` end'],
  ['A `code without end\n<think>secret</think>Plain.', 'A `code without end\nPlain.'],
  ['A `code <think>secret</think> end', 'A `code  end'],
  ['<think >secret</think\t>Plain.', 'Plain.'],
  ['<think is <thinking  b', '<think is <thinking  b'],
  ['```js\na("<think>") </think>\n```\nPlain.', '```js\na("<think>") </think>\n```\nPlain.'],
  ['```xml\n<think>\n```\nPlain<think>secret</think>.', '```xml\n<think>\n```\nPlain.'],
  ['```xml\n<think>\nsecret\n</think>\n```\nPlain<think>secret</think>.', '```xml\n\n```\nPlain.'],
  ['Intro\n```js\nfoo()\n<think>secret</think>Plain.', 'Intro\n```js\nfoo()\nPlain.'],
  ['```\n<think>a\n```js\nsecret\n</think>Plain.', '```\nPlain.'],
  ['```\n<think>a\n```', '```\n<think>a\n```'],
  ['Intro\n```js\nfoo()\n <THINK >secret', 'Intro\n```js\nfoo()\n'],
  ['  ````\n```\n<think>\n````\n<think>secret', '  ````\n```\n<think>\n````\n'],
];

describe('the text of a model that thinks', () => {
  it.each(cases)('%j is shown as %j', (text, shown) => {
    expect(filtered(text)).toEqual({ shown, retracted: 0 });
  });

  it.each([1, 2, 3, 5, 8])('is shown alike in pieces of %i characters', (size) => {
    for (const [text, shown] of cases) expect(filtered(text, { size }).shown, text).toBe(shown);
  });

  it.each([1, 4, 9_000])('is shown without long thinking in an open code block (pieces of %i)', (size) => {
    const text = `\`\`\`\n<think>${'secret\n'.repeat(300)}\`\`\`\n</think>Plain.`;
    expect(filtered(text, { size })).toEqual({ shown: '```\nPlain.', retracted: 0 });
  });

  it('is shown as it arrives', () => {
    const filter = new ThinkingFilter(false);
    expect(filter.push('It is <')).toEqual([{ kind: 'text', text: 'It is ' }]);
    expect(filter.push('b or `co')).toEqual([{ kind: 'text', text: '<b or ' }]);
    expect(filter.push('de` <th')).toEqual([{ kind: 'text', text: '`code` ' }]);
    expect(filter.push('ink>secret</thi')).toEqual([]);
    expect(filter.push('nk>Plain')).toEqual([{ kind: 'text', text: 'Plain' }]);
    const noTag = `<think${' '.repeat(20)}`;
    expect(filter.push(noTag)).toEqual([{ kind: 'text', text: noTag }]);
  });
});

describe('an end of thinking without a beginning', () => {
  const text = 'The user asks [1]. So </think>\n\nPlain [2].';

  it.each([1, 4, 100])('takes back what was written before it (pieces of %i)', (size) => {
    expect(filtered(text, { size })).toEqual({ shown: '\n\nPlain [2].', retracted: 1 });
  });

  it.each([1, 4, 100])('takes back code that is still open (pieces of %i)', (size) => {
    for (const tag of ['</think>', '  </thinking >']) {
      const open = `Secret plan\n\`\`\`\ncode\n${tag}\nPlain \`a\`.`;
      expect(filtered(open, { size })).toEqual({ shown: '\nPlain `a`.', retracted: 1 });
    }
  });

  it('takes nothing back if nothing was written', () => {
    expect(filtered('\n</think>Plain.')).toEqual({ shown: '\nPlain.', retracted: 0 });
  });
});

describe('a turn that may begin with thinking', () => {
  const text = 'The user asks [1]. So </think>\n\nPlain [2].';
  const startsInThinking = true;

  it.each([1, 100])('is held back until the thinking ends (pieces of %i)', (size) => {
    expect(filtered(text, { size, startsInThinking })).toEqual({ shown: '\n\nPlain [2].', retracted: 0 });
  });

  it.each([1, 4, 100])('is held back whatever marks of code it has (pieces of %i)', (size) => {
    for (const secret of ['Secret\n```\ncode ', 'A `secret ', 'A `', 'The tag `<think>`, ', '```\n<think>\n'])
      expect(filtered(`${secret}</think >Plain \`a\`.`, { size, startsInThinking })).toEqual({
        shown: 'Plain `a`.',
        retracted: 0,
      });
  });

  it.each([1, 100])('is shown whole if it does not end any thinking (pieces of %i)', (size) => {
    for (const plain of ['Plain.', 'Plain [1], cut in the midd', 'A `b` <', ''])
      expect(filtered(plain, { size, startsInThinking })).toEqual({ shown: plain, retracted: 0 });
  });

  it('is dropped if it only leads to calls of tools', () => {
    expect(filtered('The user asks', { startsInThinking, hasCalls: true }).shown).toBe('');
  });

  it.each([1, 100])('is read like others if it writes both tags (pieces of %i)', (size) => {
    const both = filtered('\n<think>a</think>Plain.', { size, startsInThinking });
    expect(both).toEqual({ shown: '\nPlain.', retracted: 0 });
  });
});

it('the filter takes time in proportion to the length of the text', () => {
  const length = 200_000;
  const runs = Array.from({ length: 800 }, (_, index) => '`'.repeat(index + 1)).join('a');
  for (const text of [
    `\`${'a'.repeat(length)}`,
    `\`\`\`\n${'a'.repeat(length)}`,
    runs,
    '<b'.repeat(length / 2),
  ]) {
    const processorMs = measureProcessor();
    filtered(text, { size: 4, startsInThinking: true });
    expect(processorMs(), text.slice(0, 10)).toBeLessThan(10_000);
  }
});

it.each([
  '<',
  '<b',
  '</think ',
  '`a',
  '``` <think>\n',
  '\n```\n<think>\n',
  '\n```\n<think>\n```\n',
  '</think>',
])('the filter takes time in proportion to the length of one piece of %j', (part) => {
  /** Returns the shortest of some times, because a busy machine delays single runs. */
  const timeOf = (length: number, runs: number): number => {
    const text = part.repeat(length / part.length);
    const times = Array.from({ length: runs }, () => {
      const processorMs = measureProcessor();
      filtered(text, { startsInThinking: true });
      filtered(text);
      return processorMs();
    });
    return Math.min(...times);
  };
  timeOf(4_000, 5);
  // 16 times the length: 16 times the time if it is linear, 256 times if it is quadratic.
  expect(timeOf(64_000, 3) / Math.max(timeOf(4_000, 9), 1)).toBeLessThan(90);
});
