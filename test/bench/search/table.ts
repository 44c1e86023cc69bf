/** A row of the table: lower is better where `must` is an upper bound. */
export interface Row {
  readonly measure: string;
  readonly must?: Bar;
  readonly goal?: Bar;
  readonly got: number | undefined;
  readonly unit: string;
  /** What stands beside it: other engines, what was left out. */
  readonly note?: string;
}

interface Bar {
  readonly bound: 'at least' | 'at most';
  readonly value: number;
}

export const atLeast = (value: number): Bar => ({ bound: 'at least', value });
export const atMost = (value: number): Bar => ({ bound: 'at most', value });

/** How many rows miss what must be. */
export function printTable(rows: readonly Row[]): number {
  const head = ['measure', 'must', 'goal', 'got', 'verdict', ''];
  const cells = rows.map((row) => [
    row.measure,
    printBar(row.must, row.unit),
    printBar(row.goal, row.unit),
    row.got === undefined ? 'not measured' : print(row.got, row.unit),
    verdict(row),
    row.note ?? '',
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]!.length)),
  );
  for (const line of [head, ...cells]) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
  return rows.filter(({ must, got }) => got !== undefined && must !== undefined && !holds(must, got)).length;
}

function verdict({ must, goal, got }: Row): string {
  if (got === undefined || must === undefined) return '';
  if (!holds(must, got)) {
    return must.value === 0 ? 'MISSED' : `MISSED by ${Math.abs((got / must.value - 1) * 100).toFixed(0)} %`;
  }
  return goal !== undefined && holds(goal, got) ? 'goal' : 'must';
}

function holds({ bound, value }: Bar, got: number): boolean {
  return bound === 'at least' ? got >= value : got <= value;
}

function printBar(bar: Bar | undefined, unit: string): string {
  if (bar === undefined) return '';
  return `${bar.bound === 'at least' ? '>=' : '<='} ${print(bar.value, unit)}`;
}

function print(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit}`;
}
