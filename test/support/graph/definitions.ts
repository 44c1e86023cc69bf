import type { ParsedFile } from '../../../src/backends/languages/port.ts';

/** Returns the definitions of a file as `LINE kind qualified.name`. */
export function definitionsIn({ symbols }: ParsedFile): string[] {
  return symbols.map(({ line, kind, qualifiedName }) => `${line} ${kind} ${qualifiedName}`);
}

/** Returns the definitions that the lines of a sample state in a comment at their end: `//= class A, method A.one`. */
export function statedIn(sample: string): string[] {
  return sample.split('\n').flatMap((text, index) => {
    const [, stated] = text.split(/(?:\/\/|#)= /);
    return stated === undefined ? [] : stated.split(', ').map((each) => `${index + 1} ${each}`);
  });
}
