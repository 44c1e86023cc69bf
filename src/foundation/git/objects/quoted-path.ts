import { pathText } from './path-text.ts';

/** The control characters that Git writes as a backslash and a letter. It writes others in octal. */
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
 * Returns the path that the header of a file in a difference names in the line with a sign: `---` is the old one. Git
 * puts a path with quotes, backslashes or control characters in quotes, and a tab after one with spaces.
 */
export function pathInHeader(header: string, sign: '---' | '+++'): string {
  const line = header.split('\n').find((one) => one.startsWith(`${sign} `)) ?? '';
  const [, quote, path = ''] = /^\S+ ("?)[ab]\/([^]*?)"?\t?$/u.exec(line) ?? [];
  if (quote === '') return pathText(Buffer.from(path));
  const unquoted = path.replaceAll(/\\([0-7]{3}|.)/gu, (_, escape: string) =>
    escape.length === 3 ? String.fromCharCode(Number.parseInt(escape, 8)) : (escapes[escape] ?? escape),
  );
  return pathText(Buffer.from(unquoted));
}
