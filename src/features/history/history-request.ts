import type { HistoryRequest } from '../../backends/codesearch/port.ts';
import { given } from '../../foundation/kernel/wire/given.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** Whose history, as the surfaces take it. */
export interface HistoryInput {
  /** `repository/path`, with `@commit` or `:10-20` after it. */
  readonly address?: string;
  /** Name or id. */
  readonly repository?: string;
  readonly path?: string;
  /** Lines of the path: `10-20`, `10-` or `10`. */
  readonly lines?: string;
  /** Words that the message must all contain. */
  readonly query?: string;
  /** A text that a commit added or removed. It needs a repository. */
  readonly text?: string;
  /** Date or time, RFC 3339, both inclusive; a date is a day in UTC. */
  readonly since?: string;
  readonly until?: string;
  /** A part of the name or email of the author. */
  readonly author?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export type HistoryFilter = Pick<HistoryRequest, 'words' | 'text' | 'author' | 'since' | 'until'>;

const maxWords = 10;
const maxText = 200;

/** Returns the filters of a request. @throws InvalidInput */
export function historyFilter({ query, text, author, since, until }: HistoryInput): HistoryFilter {
  const from = timeOf('since', since, 'start');
  const to = timeOf('until', until, 'end');
  if (from !== undefined && to !== undefined && from > to)
    throw invalidField('since', 'must not be after `until`');
  return given({
    words: query === undefined ? undefined : wordsOf(query),
    text: text === undefined ? undefined : checkText('text', text),
    author: author === undefined ? undefined : checkText('author', author.trim()),
    since: from,
    until: to,
  });
}

function wordsOf(query: string): readonly string[] {
  const words = query.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) throw invalidField('query', 'must have a word');
  if (words.length > maxWords) throw invalidField('query', `must have at most ${maxWords} words`);
  return words.map((word) => checkText('query', word));
}

function checkText(field: string, text: string): string {
  if (text === '' || text.length > maxText || /\p{Cc}/u.test(text))
    throw invalidField(field, `must have 1 to ${maxText} characters, none a control character`);
  return text;
}

const date = /^\d{4}-\d\d-\d\d$/;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const secondsOfDay = 86_400;

/** Parses a time to seconds since 1970. @throws InvalidInput */
function timeOf(field: string, text: string | undefined, edge: 'start' | 'end'): number | undefined {
  if (text === undefined) return undefined;
  const isDate = date.test(text);
  const milliseconds = isDate || dateTime.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isFinite(milliseconds) || !isRealDay(text.slice(0, 10)))
    throw invalidField(field, 'must be a date or time such as `2026-11-21` or `2026-11-21T08:00:00Z`');
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return isDate && edge === 'end' ? seconds + secondsOfDay - 1 : seconds;
}

/** Returns whether a month has the day: `Date.parse` moves February 30 to March. */
function isRealDay(day: string): boolean {
  const time = Date.parse(day);
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(day);
}
