import { describe, expect, it } from 'vitest';
import { collectPatterns } from '../support/patterns/collected-patterns.ts';
import { fault } from '../support/patterns/growth.ts';
import { runOnPlanted } from '../support/run/planted-tree.ts';

/** Returns the fault of the only pattern of a text. */
function faultOf(text: string): string | undefined {
  const [pattern] = collectPatterns(text);
  if (pattern === undefined) throw new Error('There is no pattern.');
  return fault(pattern);
}

describe('the gate of patterns', () => {
  it('passes the clean tree', async () => {
    expect(await runOnPlanted('patterns')).toMatchObject({ passed: true });
  });

  it('names the file, the line and the input of a pattern that takes quadratic time', async () => {
    const planted = "\nexport const pending = (text: string) => text.replace(/x+$/, '').length;\n";
    const { passed, output } = await runOnPlanted('patterns', { 'src/app/open/schema.ts': planted });
    expect(passed).toBe(false);
    expect(output).toMatch(/^src\/app\/open\/schema\.ts:2: \/x\+\$\/: .* times as long: "" \+ "x" × n/mu);
  });

  it.each([
    ['in a comment that ends in CR', String.raw`/(?:^|\s)#.*$/.exec(line)`],
    ['in a name with many dots, cubic', String.raw`/([^/]+?)(?:\/index)?(?:\.\w+)+$/u.exec(path)`],
    ['in blanks after a prefix', String.raw`/^import\s+([\w\s]+)\s*;$/.exec(line)`],
    ['after another alternative', String.raw`text.replace(/^[-.]+|[-.]+$/g, '')`],
    ['only because it matches again and again', String.raw`text.replaceAll(/a[^b]*b|a/g, '')`],
    ['as a separator', String.raw`text.split(/a*b/)`],
    ['when it is made of constants', "const one = 'x'; new RegExp(`${one}+$`, 'u')"],
    ['when it is joined', String.raw`new RegExp(['y', String.raw${'`'}\d+$${'`'}].join('|'))`],
    ['in a part of a template', 'new RegExp(`${name}|y+$`)'],
  ])('finds a pattern that takes more than linear time %s', (_case, text) => {
    expect(faultOf(text)).toMatch(/times as long| ms: /u);
  });

  it.each([
    ['of one repetition', String.raw`/^\s*\w+/.exec(line)`],
    ['of repetitions with a maximum', String.raw`/[\w.]{1,60}@/.exec(line)`],
    ['whose comment is never left', String.raw`text.replaceAll(/\/\*(?:[^]*?\*\/|[^]*)/g, '')`],
  ])('passes a linear pattern %s', (_case, text) => {
    expect(faultOf(text)).toBeUndefined();
  });

  it('exempts a pattern whose bound is written, complete and short', () => {
    const withBound = (comment: string) => faultOf(`${comment}\nconst end = / +$/;`);
    expect(withBound('// bounded: at most 1,000 characters (the line is cut)')).toBeUndefined();
    expect(withBound('// bounded: at most 9,000 characters (the body is limited)')).toMatch(
      /^its bound allows/u,
    );
    expect(withBound('// bounded')).toMatch(/times as long/u);
    expect(withBound('// bounded: short lines')).toMatch(/^its bound is not written/u);
    expect(withBound('// bounded: at most 100 characters (the line is cut)\n')).toMatch(/times as long/u);
  });
});
