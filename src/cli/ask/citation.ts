import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { visibleLine, visibleText } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel } from '../frame/channel.ts';

/** The fields of a citation that the text output shows. */
export interface Cited {
  readonly n: number;
  readonly kind?: string | undefined;
  readonly repository?: string | undefined;
  readonly path?: string | undefined;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  readonly commit?: string | undefined;
  readonly url: string;
  readonly title: string;
  readonly excerpt?: string | undefined;
  readonly focus?: number | undefined;
}

/**
 * Formats an answer with all its sources, each with its address and lines. All of it may quote third-party text, so
 * control characters are removed.
 */
export function formatAnswer(answer: string, citations: readonly Cited[], channel: Channel): string {
  const sources = citations.map((cited) => {
    const url = channel.style('dim', `    ${visibleLine(cited.url)}`);
    return [`${numberOf(cited, channel)} ${visibleLine(placeOf(cited))}`, url, ...quotedLines(cited)].join(
      '\n',
    );
  });
  return [plainAnswer(answer), ...(sources.length > 0 ? ['', ...sources] : [])].join('\n');
}

/** Limits of the start of an answer: the passages that are quoted, and the lines of each and of all. */
const max = { passages: 3, lines: 8, total: 24 } as const;

/**
 * Formats the start of an answer for a screen: what it says, the lines of the best passages that say most of the question, and the places of
 * the others that it cites. Returns also how many sources are cut and how many are not shown at all.
 */
export function formatStart(
  answer: string,
  citations: readonly Cited[],
  channel: Pick<Channel, 'style'>,
): { readonly text: string; readonly cut: number; readonly hidden: number } {
  let room = max.total;
  let cut = 0;
  let hidden = 0;
  const sources = citations.flatMap((cited, index) => {
    const isCited = answer.includes(`[${cited.n}]`);
    const lines = quotedLines(cited);
    const begin = beginOf(cited, lines.length);
    const shown = index < max.passages ? lines.slice(begin, begin + Math.min(max.lines, room)) : [];
    room -= shown.length;
    if (!isCited && shown.length === 0) {
      hidden += 1;
      return [];
    }
    const isCut = shown.length < lines.length;
    if (isCut) cut += 1;
    const before = begin > 0 && shown.length > 0 ? ['    …'] : [];
    const after = shown.length > 0 && begin + shown.length < lines.length ? ['    …'] : [];
    return [`${numberOf(cited, channel)} ${visibleLine(shortPlace(cited))}`, ...before, ...shown, ...after];
  });
  const text = [plainAnswer(answer), ...(sources.length > 0 ? ['', ...sources] : [])].join('\n');
  return { text, cut, hidden };
}

/** Returns how many lines of a passage are left out before those that say most of the question. */
function beginOf({ startLine, focus }: Cited, length: number): number {
  if (focus === undefined || startLine === undefined || length <= max.lines) return 0;
  const before = focus - 1 - startLine;
  return before + 2 < max.lines ? 0 : Math.min(before, length - max.lines);
}

function numberOf({ n }: Cited, channel: Pick<Channel, 'style'>): string {
  return channel.style('cyan', `[${n}]`);
}

function quotedLines({ excerpt = '' }: Cited): readonly string[] {
  return excerpt === ''
    ? []
    : visibleText(excerpt)
        .trimEnd()
        .split('\n')
        .map((line) => `    ${line}`.trimEnd());
}

/** Returns the text of an answer without the backslashes that protect text in Markdown. */
export function plainAnswer(answer: string): string {
  const pieces = visibleText(answer).split(/((?<!\\)`[^`\n]*`)/u);
  return pieces
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll(/\\([\\`*_{}[\]()<>#!|~])/gu, '$1')))
    .join('');
}

/** Formats the cited place on one line, without its URL. */
function placeOf(cited: Cited): string {
  const { path, commit } = cited;
  const at = path === undefined || commit === undefined ? '' : ` @ ${shortCommit(commit)}`;
  return `${shortPlace(cited)}${at}`;
}

/** Formats the cited place as `repository/path:first-last`; its lines contain the line that the answer names. */
export function shortPlace({ repository, path, startLine, endLine, title }: Cited): string {
  if (path === undefined) return title;
  const lines = startLine === undefined ? '' : `:${startLine}-${endLine ?? startLine}`;
  return `${repository === undefined ? '' : `${repository}/`}${path}${lines}`;
}
