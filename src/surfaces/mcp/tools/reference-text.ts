import type { ReferenceKind } from '../../../features/references/line-kind.ts';
import type { ReferencePage } from '../../../features/references/reference-record.ts';
import { lineOf, summaryOf } from '../../../features/references/reference-text.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { cursorLine } from './page-notes.ts';

interface WithCursors extends ReferencePage {
  cursorAfter(count: number): string | null;
}

/** Room for the count of the lines shown, the advice and the cursor, in bytes. */
const reserved = 300;

/** Returns an answer as text of at most `maxBytes`: the summary, one line an item, notices and the cursor. */
export function referenceText(page: WithCursors, maxBytes: number, kind?: ReferenceKind): string {
  const summary = summaryOf(page);
  const notices = page.notices.map((notice) => `Note: ${shorten(visibleLine(notice), 500)}`);
  let left = maxBytes - reserved - Buffer.byteLength([summary, ...notices].join('\n'));
  const lines: string[] = [];
  for (const item of page.items) {
    const line = lineOf(item);
    left -= Buffer.byteLength(line) + 1;
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  const cursor = page.cursorAfter(lines.length);
  const { shown, hint } = shownOf(page, lines.length, kind);
  return [`${summary}${shown}${hint}`, ...lines, ...notices, ...cursorLine({ nextCursor: cursor })].join(
    '\n',
  );
}

/** Says how many of the lines are shown, and how to ask for fewer. The totals count lines of every kind. */
function shownOf(
  { total }: WithCursors,
  count: number,
  kind: ReferenceKind | undefined,
): { readonly shown: string; readonly hint: string } {
  if (kind !== undefined) return { shown: ` ${count} of kind ${kind} here.`, hint: '' };
  if (count === total) return { shown: '', hint: '' };
  const hint = ' Name a definition (address), a kind or repositories for fewer.';
  return { shown: ` ${count} of ${total} here.`, hint };
}
