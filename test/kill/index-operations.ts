import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { historyFile } from '../../src/backends/codesearch/embedded/format/history-file.ts';
import { filesOf, readManifest } from '../../src/backends/codesearch/embedded/format/manifest.ts';
import { wordsFile } from '../../src/backends/codesearch/embedded/words/words-file.ts';
import type { CodeIndex, IndexRequest } from '../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import { applyAndDefine, indexRequest } from '../support/codesearch/index-request.ts';
import { indexedDefinitions, indexedFiles } from '../support/codesearch/indexed-files.ts';
import { openTestIndex } from '../support/codesearch/open-test-index.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { type KilledRun, runKilledAt } from '../support/kill/run-killed.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * The operations on an index, each on its own initial state: the first build, reading its definitions, a push that
 * adds a delta and deletes, moves and restores documents, a push that merges deltas, compaction, and removal.
 */
export const operationNames = ['build', 'define', 'delta', 'merge', 'compact', 'remove'] as const;
export type OperationName = (typeof operationNames)[number];

type Files = Readonly<Record<string, string>>;

export interface Operation {
  readonly name: OperationName;
  /** Folder of the initial state; copied for each run. */
  readonly template: string;
  /** Arguments of `index-program.ts`, except the root folder. */
  readonly args: readonly [command: string, gitDir: string, to: string];
  /**
   * The searchable files and their definitions before the operation, and after it has renamed or deleted the manifest.
   */
  readonly before: Files;
  readonly after: Files;
}

const organization = 'org';
const id = 'repo';
const program = join(import.meta.dirname, '../support/codesearch/index-program.ts');
const scope = { organizationId: organization as OrganizationId, orgSlug: organization };
const { signal } = new AbortController();

export async function prepareOperations(): Promise<readonly Operation[]> {
  const repository = createRepository();
  const gitDir = join(repository.folder, '.git');
  const root = temporaryFolder();
  const index = openTestIndex({ root, log: silentLog });
  const apply = async (to: string): Promise<void> => {
    await applyAndDefine(index, indexRequest({ scope, repository: id, gitDir, to }));
  };
  const keep = (): string => {
    const template = temporaryFolder();
    cpSync(root, template, { recursive: true });
    return template;
  };
  const operations: Operation[] = [];
  const add = async (name: OperationName, command: string, to: string): Promise<void> => {
    const [template, before] = [keep(), contentsOf(root)];
    const request = indexRequest({ scope, repository: id, gitDir, to });
    await runCommand(index, command, request);
    const after = contentsOf(root);
    operations.push({ name, template, args: [command, gitDir, to], before, after });
  };

  const first = repository.commit(numbered(20, 'first'));
  await add('build', 'apply', first);
  await add('define', 'define', first);
  await apply(repository.commit({ 'src/f1.ts': 'second\n' }));
  repository.git('mv', 'src/f7.ts', 'src/moved.ts');
  await add('delta', 'apply', repository.commit({ 'src/f1.ts': textOf('first', 1), 'src/f2.ts': 'third\n' }));
  for (let round = 0; round < 7; round++) await apply(repository.commit({ [`n${round}.ts`]: `${round}\n` }));
  await add('merge', 'apply', repository.commit({ 'n2.ts': 'merged\n', 'n9.ts': 'nine\n' }));
  const last = repository.commit(numbered(12, 'changed'));
  await apply(last);
  await add('compact', 'compact', last);
  await add('remove', 'remove', last);
  return operations;
}

function numbered(count: number, text: string): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, file) => [`src/f${file}.ts`, textOf(text, file)]),
  );
}

function textOf(text: string, file: number): string {
  return `function ${text}${file}() {}\n`;
}

/** Returns the text of each searchable file, and its definitions. */
function contentsOf(root: string): Files {
  const definitions = Object.entries(indexedDefinitions(root, organization));
  return {
    ...indexedFiles(root, organization),
    ...Object.fromEntries(definitions.map(([path, names]) => [`definitions of ${path}`, names.join()])),
  };
}

async function runCommand(index: CodeIndex, command: string, request: IndexRequest): Promise<void> {
  if (command === 'apply') await index.apply(request, signal);
  else if (command === 'define') await index.define(request, signal);
  else if (command === 'compact') await index.compact(request, signal);
  else await index.remove(scope, request.repository.id);
}

/** Runs the operation on a copy of its initial state and kills it before its n-th file-system change (0: never). */
export async function runOperation(
  operation: Operation,
  n: number,
  cache: string,
): Promise<{ readonly root: string; readonly run: KilledRun }> {
  const root = temporaryFolder();
  cpSync(operation.template, root, { recursive: true });
  const [command, gitDir, to] = operation.args;
  const run = await runKilledAt(n, [program, command, root, gitDir, id, to], {
    preload: 'kill-at-file-write.ts',
    env: { NODE_COMPILE_CACHE: cache },
  });
  if (!run.killed && run.code !== 0) throw new Error(run.stderr);
  return { root, run };
}

/**
 * Returns the errors after a run; an empty list when there are none. Checks that the searchable files are those from
 * before the operation or, once the manifest was renamed or deleted, those from after it; that the next start deletes
 * every file that the manifest does not name and changes no search result; and that repeating the operation succeeds.
 */
export async function violationsAfter(
  operation: Operation,
  root: string,
  { writes, killed }: KilledRun,
): Promise<readonly string[]> {
  const errors: string[] = [];
  const done = killed ? writes.slice(0, -1) : writes;
  const isCommitted = done.some(
    (write) => write === 'rename manifest.tmp to manifest' || write === 'unlink manifest',
  );
  const expected = isCommitted ? operation.after : operation.before;
  const differs = (files: Files): boolean =>
    JSON.stringify(sorted(files)) !== JSON.stringify(sorted(expected));
  if (differs(contentsOf(root))) errors.push('results belong to neither generation');
  const index = openTestIndex({ root, log: silentLog });
  if (differs(contentsOf(root))) errors.push('the next start changed the results');
  errors.push(...orphansIn(root).map((name) => `the next start left ${name}`));
  const [command, gitDir, to] = operation.args;
  const request = indexRequest({ scope, repository: id, gitDir, to });
  await runCommand(index, command === 'compact' ? 'apply' : command, request);
  const again = JSON.stringify(sorted(contentsOf(root)));
  if (again !== JSON.stringify(sorted(operation.after)))
    errors.push('repeating the operation gave another result');
  errors.push(...orphansIn(root).map((name) => `repeating the operation left ${name}`));
  return errors;
}

function orphansIn(root: string): string[] {
  const folder = join(root, organization, id);
  if (!existsSync(folder)) return [];
  const manifest = readManifest(folder);
  if (manifest === undefined) return [id];
  // The history is a hint for the ranking, and words are one for searches: both belong to no generation.
  const files = filesOf(manifest);
  const named = new Set([...files, ...[...files].map(wordsFile), historyFile]);
  return readdirSync(folder).filter((name) => !named.has(name));
}

function sorted(files: Files): [string, string][] {
  return Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
