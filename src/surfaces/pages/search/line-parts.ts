import type { CodeSearchItem } from '../../../features/search/search-code.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

/** A line in three parts, the match in the middle. */
export interface LineParts {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** Maximum numbers of characters that a page shows of a line: before a match, of it, and after it. */
const limits = { before: 80, match: 120, after: 120 } as const;

/** Splits a line at its match and shortens it, so that a page stays small. */
export function lineParts({
  text,
  textOffset,
  column,
  length,
}: Pick<CodeSearchItem['matches'][number], 'text' | 'textOffset' | 'column' | 'length'>): LineParts {
  const start = Math.min(Math.max(0, column - 1 - textOffset), text.length);
  const end = Math.min(start + length, text.length);
  const before = text.slice(0, start).trimStart();
  const after = text.slice(end).trimEnd();
  return {
    before: visibleLine(before.length > limits.before ? `…${before.slice(-limits.before)}` : before),
    match: visibleLine(clip(text.slice(start, end), limits.match)),
    after: visibleLine(clip(after, limits.after)),
  };
}

function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
