import { visibleLine } from '../foundation/kernel/visible-text.ts';

/** Rows of cells as aligned lines. Cells hold what a service said, so none is printed as it is. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(visibleLine));
  const widths = (shown[0] ?? []).map((_cell, column) =>
    Math.max(...shown.map((row) => row[column]?.length ?? 0)),
  );
  return shown
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
