import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot, toolEnvironment } from './gates.ts';
import { runInGroup } from './run-in-group.ts';
import { readVitestReport, type VitestReport } from './test-totals.ts';

export interface VitestRun {
  readonly report: VitestReport;
  /** Null when a signal ended the runner. */
  readonly exitCode: number | null;
}

/** Free memory that tests need to keep their files there, in bytes. */
const minFreeMemory = 6 * 1024 ** 3;

/** Runs vitest, after the build, with its output on the terminal and returns its report. */
export async function runVitest(args: readonly string[]): Promise<VitestRun> {
  const folder = mkdtempSync(join(temporaryRoot(), 'orgctx-run-'));
  // Postgres runs as another user and must have access to its folder inside this one.
  chmodSync(folder, 0o711);
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const exitCode = await runInGroup(['vitest', 'run', ...reporters, ...args], {
      cwd: projectRoot,
      env: {
        ...toolEnvironment(),
        TMPDIR: folder,
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        ORGCTX_TEST_BUILT: 'true',
      },
    });
    // A missing report means that the runner did not start; no test passed, which counts as a failure.
    const report = existsSync(file) ? readVitestReport(readFileSync(file, 'utf8')) : { testResults: [] };
    return { report, exitCode };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Returns the parent of the tests' temporary files: memory where there is enough of it, so that a sync costs nothing.
 * Tests kill processes and check that syncs are requested; neither needs a disk.
 */
function temporaryRoot(): string {
  const memory = '/dev/shm';
  if (process.env['TMPDIR'] !== undefined || !existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const free = Math.min(bavail * bsize, process.availableMemory());
  return free >= minFreeMemory && canExecuteIn(memory) ? memory : tmpdir();
}

/**
 * Returns whether files of the folder may be executed: tests start scripts of their own. Containers often forbid it.
 */
function canExecuteIn(folder: string): boolean {
  const script = join(mkdtempSync(join(folder, 'orgctx-probe-')), 'script');
  try {
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(script).status === 0;
  } finally {
    rmSync(dirname(script), { recursive: true });
  }
}
