import { expect, it } from 'vitest';
import { z } from 'zod';
import { lastLines, quotedNote } from './page-notes.ts';
import { defineTool, maxText, type ToolContext } from './tool.ts';

async function resultOf(text: string): Promise<string> {
  const tool = defineTool({
    name: 'test',
    description: 'Test.',
    input: z.object({}),
    run: async () => text,
  });
  const [part] = (await tool.call({}, {} as ToolContext)).content;
  return part?.type === 'text' ? part.text : '';
}

const body = Array.from({ length: 900 }, (_, index) => `${index} ${'x'.repeat(40)}`);

it.each([
  ['the quoted note and the cursor', lastLines({ nextCursor: 'c2' }), 3],
  ['the quoted note', [quotedNote], 2],
  ['no more than it has', [], 1],
])('keeps %s at the end of a text that is too long', async (_, notes, count) => {
  const text = await resultOf([...body, ...notes].join('\n'));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxText.bytes);
  expect(Buffer.byteLength(text)).toBeGreaterThan(0.9 * maxText.bytes);
  expect(text.split('\n').slice(-count)).toEqual(['(The rest is left out: ask for less.)', ...notes]);
});

it('changes no text that fits', async () => {
  const text = [...body.slice(0, 100), ...lastLines({ nextCursor: 'c2' })].join('\n');
  expect(await resultOf(text)).toBe(text);
});
