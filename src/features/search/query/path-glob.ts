import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { queryError } from './query-error.ts';

/**
 * Converts the value of `file:` to a pattern if it has wildcards: `*` and `?` within a name, `**` across folders,
 * `{a,b}` for either. As in other code search tools, a glob may start at any folder and ends at the end of the path; a
 * leading slash ties it to the root. Brackets are themselves, because names of files contain them (`[id].tsx`).
 * @throws InvalidInput for wildcards in the syntax of a regular expression.
 */
export function patternOfGlob(value: string, at: number): string | undefined {
  // bounded: at most 1,024 characters (parse-query.ts refuses longer queries)
  if (!/[*?]|\{[^{}]*,[^{}]*\}/u.test(value)) return undefined;
  if (/\\|^\^|\$$|\.\*[$)]|\)[*?]/u.test(value)) {
    throw queryError(
      at,
      'this value has wildcards and reads like a regular expression; write a pattern between slashes, as in ' +
        '`file:/_test\\.go$/`, or a glob such as `file:*_test.go`. To find the text itself, put it in quotes.',
    );
  }
  const rooted = value.startsWith('/');
  const glob = rooted ? value.slice(1) : value.replace(/^(?:\*\*\/)+/u, '');
  return `${rooted ? '^' : '(?:^|/)'}${printGlob(glob)}$`;
}

function printGlob(glob: string): string {
  let printed = '';
  // bounded: at most 1,024 characters (as above)
  for (const { 0: token } of glob.matchAll(/(?:\*\*\/)+|\*+|\{[^{}]*,[^{}]*\}|./gsu)) {
    if (token.startsWith('**/')) printed += '(?:.*/)?';
    else if (token.startsWith('**')) printed += '.*';
    else if (token === '*') printed += '[^/]*';
    else if (token === '?') printed += '[^/]';
    else if (token.length > 1 && token.startsWith('{'))
      printed += `(?:${token.slice(1, -1).split(',').map(printGlob).join('|')})`;
    else printed += escapePattern(token);
  }
  return printed;
}
