import type { ReferenceKind } from '../../../features/references/line-kind.ts';
import type { ReferencePage } from '../../../features/references/reference-record.ts';
import { lineOf, summaryOf } from '../../../features/references/reference-text.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { cursorLine } from './page-notes.ts';
import { roomFor } from './tool.ts';

interface WithCursors extends ReferencePage {
  /** The notice that no definition has the name, which precedes its lines. */
  readonly unknownNotice?: string | undefined;
  cursorAfter(count: number): string | null;
}

/** Room for the count of the lines shown, the advice, the cursor and the note on quoted text. */
const reserved = 350;

/** Returns an answer as text: the summary, one line an item, notices and the cursor. */
export function referenceText(page: WithCursors, isLarge: boolean, kind?: ReferenceKind): string {
  const summary = [page.unknownNotice ?? [], summaryOf(page)].flat().join(' ');
  const others = page.notices.filter((notice) => notice !== page.unknownNotice);
  const notices = others.map((notice) => `Note: ${shorten(visibleLine(notice), 500)}`);
  const { max, sizeOf } = roomFor(isLarge);
  const left = max - reserved - sizeOf([summary, ...notices].join('\n'));
  const lines = fittingLines(page.items.map(lineOf), left, sizeOf);
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
