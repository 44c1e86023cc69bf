import { relative } from 'node:path';
import { projectRoot } from './gates.ts';
import type { VitestReport } from './test-totals.ts';

/** The duration of one test file, including its hooks. */
export interface FileTime {
  /** Relative to the project's root. */
  readonly file: string;
  readonly milliseconds: number;
}

/** Returns the files of a run, the slowest first. */
export function fileTimes({ testResults }: VitestReport): readonly FileTime[] {
  return testResults
    .map(({ name, startTime, endTime }) => ({
      file: relative(projectRoot, name),
      milliseconds: Math.max(0, Math.round(endTime - startTime)),
    }))
    .toSorted((a, b) => b.milliseconds - a.milliseconds);
}

/** Returns one line for each of the slowest files. */
export function describeSlowest(times: readonly FileTime[], count: number): string {
  return times
    .slice(0, count)
    .map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}\n`)
    .join('');
}
