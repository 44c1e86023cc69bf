import { describe, expect, it } from 'vitest';
import { ThinkingFilter } from './thinking-filter.ts';

interface Filtered {
  readonly shown: string;
  readonly retracted: number;
  readonly startsInThinking: boolean;
}

function filtered(
  text: string,
  { size = text.length || 1, startsInThinking = false, isUnfinished = false } = {},
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
  take(filter.end(isUnfinished));
  return { shown, retracted, startsInThinking: filter.startsInThinking };
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
  ['```xml\n<think>\n</think>\n```\nPlain<think>secret</think>.', '```xml\n<think>\n</think>\n```\nPlain.'],
  ['  ````\n```\n<think>\n````\n<think>secret', '  ````\n```\n<think>\n````\n'],
];

describe('the text of a model that thinks', () => {
  it.each(cases)('%j is shown as %j', (text, shown) => {
    expect(filtered(text)).toEqual({ shown, retracted: 0, startsInThinking: false });
  });

  it.each([1, 2, 3, 5, 8])('is shown alike in pieces of %i characters', (size) => {
    for (const [text, shown] of cases) expect(filtered(text, { size }).shown, text).toBe(shown);
  });

  it('is shown as it arrives', () => {
    const filter = new ThinkingFilter(false);
    expect(filter.push('It is <')).toEqual([{ kind: 'text', text: 'It is ' }]);
    expect(filter.push('b or `co')).toEqual([{ kind: 'text', text: '<b or ' }]);
    expect(filter.push('de` <th')).toEqual([{ kind: 'text', text: '`code` ' }]);
    expect(filter.push('ink>secret</thi')).toEqual([]);
    expect(filter.push('nk>Plain')).toEqual([{ kind: 'text', text: 'Plain' }]);
  });
});

describe('an end of thinking without a beginning', () => {
  const text = 'The user asks [1]. So </think>\n\nPlain [2].';

  it.each([1, 4, 100])('takes back what was written before it (pieces of %i)', (size) => {
    expect(filtered(text, { size })).toEqual({
      shown: '\n\nPlain [2].',
      retracted: 1,
      startsInThinking: true,
    });
  });

  it('takes nothing back if nothing was written', () => {
    expect(filtered('\n</think>Plain.')).toMatchObject({ shown: '\nPlain.', retracted: 0 });
  });

  it.each([1, 100])('is waited for in the next turn, so that nothing is taken back (%i)', (size) => {
    expect(filtered(text, { size, startsInThinking: true })).toEqual({
      shown: '\n\nPlain [2].',
      retracted: 0,
      startsInThinking: true,
    });
  });

  it('is not waited for after a turn that had none, whose text is shown', () => {
    expect(filtered('Plain.', { startsInThinking: true })).toEqual({
      shown: 'Plain.',
      retracted: 0,
      startsInThinking: false,
    });
  });

  it('is waited for after a turn that ended before it, whose text is dropped', () => {
    const options = { startsInThinking: true, isUnfinished: true };
    expect(filtered('The user asks', options)).toMatchObject({ shown: '', startsInThinking: true });
  });

  it('is not waited for in a turn with both tags', () => {
    expect(filtered('<think>a</think>Plain.', { startsInThinking: true })).toEqual({
      shown: 'Plain.',
      retracted: 0,
      startsInThinking: false,
    });
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
    const start = performance.now();
    filtered(text, { size: 4, startsInThinking: true });
    expect(performance.now() - start, text.slice(0, 10)).toBeLessThan(10_000);
  }
});
