/** A row of the table; if `must` is an upper bound, lower is better. */
export interface Row {
  readonly measure: string;
  readonly must?: Threshold;
  readonly goal?: Threshold;
  readonly measured: number | undefined;
  readonly unit: string;
  /** A remark, for example the figures of other engines. */
  readonly note?: string;
}

interface Threshold {
  readonly bound: 'at least' | 'at most';
  readonly value: number;
}

export const atLeast = (value: number): Threshold => ({ bound: 'at least', value });
export const atMost = (value: number): Threshold => ({ bound: 'at most', value });

/** Prints the table and returns the number of rows that miss their threshold. */
export function printTable(rows: readonly Row[]): number {
  const head = ['measure', 'must', 'goal', 'measured', 'result', ''];
  const cells = rows.map((row) => [
    row.measure,
    printThreshold(row.must, row.unit),
    printThreshold(row.goal, row.unit),
    row.measured === undefined ? 'not measured' : print(row.measured, row.unit),
    resultOf(row),
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
  return rows.filter(
    ({ must, measured }) => measured !== undefined && must !== undefined && !holds(must, measured),
  ).length;
}

function resultOf({ must, goal, measured }: Row): string {
  if (measured === undefined || must === undefined) return '';
  if (!holds(must, measured)) {
    return must.value === 0
      ? 'MISSED'
      : `MISSED by ${Math.abs((measured / must.value - 1) * 100).toFixed(0)} %`;
  }
  return goal !== undefined && holds(goal, measured) ? 'goal' : 'must';
}

function holds({ bound, value }: Threshold, measured: number): boolean {
  return bound === 'at least' ? measured >= value : measured <= value;
}

function printThreshold(threshold: Threshold | undefined, unit: string): string {
  if (threshold === undefined) return '';
  return `${threshold.bound === 'at least' ? '>=' : '<='} ${print(threshold.value, unit)}`;
}

function print(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit}`;
}
