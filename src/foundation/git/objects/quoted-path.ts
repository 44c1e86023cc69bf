import { pathText } from './path-text.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Returns the path that a difference names after `--- ` or `+++ `; `undefined` for `/dev/null`. Git puts a name with
 * quotes, backslashes or control characters in quotes, and a tab after one with spaces.
 */
export function pathInHeader(name: string): string | undefined {
  const [, quote, rest = ''] = /^("?)[ab]\/([^]*)$/u.exec(name) ?? [];
  if (quote === undefined) return undefined;
  if (quote === '') return pathText(Buffer.from(rest.replace(/\t$/u, '')));
  const unquoted = rest
    .replace(/"\t?$/u, '')
    .replaceAll(/\\(?:([0-7]{3})|(.))/gu, (_, octal: string | undefined, sign: string) =>
      octal === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(Number.parseInt(octal, 8)),
    );
  return pathText(Buffer.from(unquoted));
}
