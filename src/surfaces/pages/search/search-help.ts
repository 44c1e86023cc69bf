import type { VNode } from 'preact';
import { el } from '../kit/html/element.ts';
import { table } from '../kit/html/parts.ts';

const examples: readonly (readonly [string, string])[] = [
  ['retry lease', 'files that contain both words, in their text or path'],
  ['"open file("', 'a phrase with its spaces'],
  ['/open\\w+\\(/', 'a regular expression, matched line by line'],
  ['retry or backoff', 'either of them'],
  ['retry -test', 'the first without the second'],
  ['(get or set) -lang:json', 'groups'],
  ['repo:api retry', 'in repositories whose name contains “api”'],
  ['file:src/main', 'paths that contain the text; file:/_test\\.go$/ for a pattern'],
  ['file:src/**/*.ts', 'paths that match; * stays within a name, ** crosses folders'],
  ['lang:go retry', 'files of a language, by its name or file extension'],
  ['sym:parseQuery', 'files that define a name that contains it'],
  ['branch:release/* retry', 'on these indexed branches instead of the default one'],
  ['retry case:yes', 'with exact case'],
];

/** The query language in short. */
export function searchHelp(open: boolean): VNode {
  return el(
    'details',
    { open },
    el('summary', null, 'What can be searched'),
    el(
      'p',
      null,
      'All words of a query must occur in a file. Words are literal, so code can be pasted as it is.',
    ),
    table({
      caption: 'The query language',
      columns: ['Query', 'Finds'],
      rows: examples.map(([query, meaning]) => [el('code', null, query), meaning]),
    }),
  );
}
