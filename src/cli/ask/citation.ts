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

/**
 * Formats the start of an answer for a screen: what it says, the first lines of the best passages, and the places of
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
    const shown = isQuoted ? lines.slice(0, room) : [];
    room -= shown.length;
    if (!isCited && shown.length === 0) {
      hidden += 1;
      return [];
    }
    const isCut = shown.length < lines.length;
    if (isCut) cut += 1;
    const after = shown.length > 0 && isCut ? ['    …'] : [];
    return [`${numberOf(cited, channel)} ${visibleLine(shortPlace(cited))}`, ...shown, ...after];
  });
  const text = [plainAnswer(answer), ...(sources.length > 0 ? ['', ...sources] : [])].join('\n');
  return { text, cut, hidden };
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
