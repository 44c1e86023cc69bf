import { shortCommit } from '../../foundation/kernel/short-commit.ts';
import { visibleLine, visibleText } from '../../foundation/kernel/visible-text.ts';
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
 * Formats the start of an answer for a screen: what it says, the first lines of the best passages, and the places of
 * the others that it cites. Returns also how many sources are shown in part or not at all.
 */
export function formatStart(
  answer: string,
  citations: readonly Cited[],
  channel: Channel,
): { readonly text: string; readonly omitted: number } {
  const hasSeveral = new Set(citations.map(({ repository }) => repository)).size > 1;
  let room = max.total;
  let omitted = 0;
  const sources = citations.flatMap((cited, index) => {
    const isCited = answer.includes(`[${cited.n}]`);
    const lines = quotedLines(cited);
    const shown = index < max.passages ? lines.slice(0, Math.min(max.lines, room)) : [];
    room -= shown.length;
    if (shown.length < lines.length) omitted += 1;
    if (!isCited && shown.length === 0) return [];
    const cut = shown.length > 0 && shown.length < lines.length ? ['    …'] : [];
    return [`${numberOf(cited, channel)} ${visibleLine(shortPlace(cited, hasSeveral))}`, ...shown, ...cut];
  });
  return { text: [plainAnswer(answer), ...(sources.length > 0 ? ['', ...sources] : [])].join('\n'), omitted };
}

function numberOf({ n }: Cited, channel: Channel): string {
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
function placeOf({ repository, path, startLine, endLine, commit, title }: Cited): string {
  if (path === undefined) return title;
  const lines = startLine === undefined ? '' : `:${startLine}-${endLine ?? startLine}`;
  const at = commit === undefined ? '' : ` @ ${shortCommit(commit)}`;
  return `${repository === undefined ? '' : `${repository}/`}${path}${lines}${at}`;
}

/** Formats the cited place as `path:line`, which editors open. */
export function shortPlace({ repository, path, startLine, title }: Cited, withRepository: boolean): string {
  if (path === undefined) return title;
  const prefix = withRepository && repository !== undefined ? `${repository}/` : '';
  return `${prefix}${path}${startLine === undefined ? '' : `:${startLine}`}`;
}
