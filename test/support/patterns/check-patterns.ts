import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { collectPatterns } from './collected-patterns.ts';
import { fault } from './growth.ts';

/**
 * The gate of regular expressions: feeds those of `src` with long hostile inputs, and fails on one whose time grows
 * faster than the input. Checks the files that differ from the commit before the last one, or all of them with `--all`
 * and where Git cannot compare.
 */
const folder = 'src';
const files = globSync(`${folder}/**/*.ts`)
  .filter((file) => !file.endsWith('.test.ts'))
  .toSorted();
const changed = process.argv.includes('--all') ? undefined : changedFiles();
const checked = changed === undefined ? files : files.filter((file) => changed.has(file));

let count = 0;
let faults = 0;
for (const file of checked) {
  for (const pattern of collectPatterns(readFileSync(file, 'utf8'))) {
    count += 1;
    const found = fault(pattern);
    if (found === undefined) continue;
    faults += 1;
    process.stdout.write(`${file}:${pattern.line}: /${pattern.source}/${pattern.flags}: ${found}\n`);
  }
}
process.stdout.write(`${faults} of ${count} patterns in ${checked.length} files fail\n`);
if (files.length === 0) process.stdout.write('no source files were found\n');
process.exitCode = faults > 0 || files.length === 0 ? 1 : 0;

/** Returns the files that differ from the commit before the last one; `undefined` if there is none. */
function changedFiles(): ReadonlySet<string> | undefined {
  const differing = pathsFrom(['diff', '--name-only', '--relative', 'HEAD~1', '--', folder]);
  const untracked = pathsFrom(['ls-files', '--others', '--exclude-standard', '--', folder]);
  return differing && untracked && new Set([...differing, ...untracked]);
}

function pathsFrom(args: readonly string[]): readonly string[] | undefined {
  const { status, stdout } = spawnSync('git', ['-c', 'core.quotePath=false', ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((path) => path !== '') : undefined;
}
