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

/**
 * Number of lines that are quoted of the first passages. The first one answers, the others show what else there is; a
 * short one leaves its room to the next.
 */
const maxLines: readonly number[] = [12, 9, 7, 4];
/** Number of lines before the focus of a passage that are quoted with it. */
const linesBefore = 2;

/**
 * Formats the start of an answer for a screen: what it says, the lines of the best passages that say most of the question, and the places of
 * the others that it cites. Returns also how many sources are cut and how many are not shown at all.
 */
export function formatStart(
  answer: string,
  citations: readonly Cited[],
  channel: Pick<Channel, 'style'>,
): { readonly text: string; readonly cut: number; readonly hidden: number } {
  let passages = 0;
  let room = 0;
  let cut = 0;
  let hidden = 0;
  const sources = citations.flatMap((cited) => {
    const isCited = answer.includes(`[${cited.n}]`);
    const lines = quotedLines(cited);
    // The answer itself says all that a commit says.
    const isQuoted = cited.kind !== 'commit';
    if (isQuoted) room += maxLines[passages++] ?? 0;
    const begin = beginOf(cited, lines.length, room);
    const shown = isQuoted ? lines.slice(begin, begin + room) : [];
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
function beginOf({ startLine, focus }: Cited, length: number, most: number): number {
  if (focus === undefined || startLine === undefined || length <= most) return 0;
  const before = focus - startLine;
  return before < most / 2 ? 0 : Math.max(0, Math.min(before - linesBefore, length - most));
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
