import { afterAll, describe, expect, it } from 'vitest';
import { type Files, openResolving } from './resolving.ts';

/**
 * Tests that the definitions of each file are those that its lines state in a comment at their end, with `#=` or `//=`
 * and a space: `//= class A, method A.one`.
 */
export function testDefinitions(samples: Files): void {
  const resolving = openResolving();
  afterAll(() => resolving.close());
  describe('the definitions of', () => {
    it.each(Object.entries(samples))('%s are those that its lines state', async (path, text) => {
      const [file] = await resolving.parse({ [path]: text });
      const found = file?.symbols.map(({ line, kind, qualifiedName }) => `${line} ${kind} ${qualifiedName}`);
      expect(found).toEqual(statedIn(text));
    });
  });
}

function statedIn(sample: string): string[] {
  return sample.split('\n').flatMap((text, index) => {
    const [, stated] = text.split(/(?:\/\/|#)= /);
    return stated === undefined ? [] : stated.split(', ').map((each) => `${index + 1} ${each}`);
  });
}
