import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { Channel, Style } from '../channel.ts';

/** A column of a list. Cells come from a service, so control characters in them are made visible. */
export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => string;
  readonly style?: (item: Item) => Style | undefined;
  /** If present, the cells may be shortened on a narrow terminal; the columns with the lowest number first. */
  readonly shrinks?: number;
}

/** Width below which no column is shortened. */
const minWidth = 12;
const gap = '  ';

/**
 * Formats a list as aligned columns below their titles, one line per item. Columns without any content are omitted.
 * On a terminal, lines are shortened to its width; elsewhere every cell is complete, for `grep` and the like.
 */
export function formatTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  channel: Channel,
): string {
  if (items.length === 0) return '';
  const filled = columns
    .map((column) => ({ ...column, texts: items.map((item) => visibleLine(column.cell(item))) }))
    .filter(({ texts }) => texts.some((text) => text !== ''));
  const natural = filled.map(({ title, texts }) => Math.max(...[title, ...texts].map(lengthOf)));
  const widths = channel.isTerminal ? fitted(filled, natural, channel.columns) : natural;
  const line = (cell: (index: number) => { text: string; style: Style | undefined }): string =>
    filled
      .map((_, index) => {
        const { text, style } = cell(index);
        const width = widths[index] ?? 0;
        const shown = shortened(text, width);
        const padding = index === filled.length - 1 ? '' : ' '.repeat(width - lengthOf(shown));
        return (style === undefined ? shown : channel.style(style, shown)) + padding;
      })
      .join(gap)
      .trimEnd();
  return [
    line((index) => ({ text: filled[index]?.title ?? '', style: 'dim' })),
    ...items.map((item, row) =>
      line((index) => ({ text: filled[index]?.texts[row] ?? '', style: filled[index]?.style?.(item) })),
    ),
  ].join('\n');
}

/** Shrinks the widths that may shrink until a line fits, or until each has the minimum width. */
function fitted(
  columns: readonly { readonly shrinks?: number }[],
  natural: readonly number[],
  available: number,
): readonly number[] {
  const widths = [...natural];
  const order = columns
    .flatMap(({ shrinks }, index) => (shrinks === undefined ? [] : [{ shrinks, index }]))
    .toSorted((a, b) => a.shrinks - b.shrinks);
  for (const { index } of order) {
    const used = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
    const width = widths[index] ?? 0;
    widths[index] = Math.max(Math.min(width, minWidth), width - Math.max(0, used - available));
  }
  return widths;
}

function shortened(text: string, width: number): string {
  return lengthOf(text) <= width
    ? text
    : `${Array.from(text)
        .slice(0, width - 1)
        .join('')}…`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
