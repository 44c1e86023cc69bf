import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HISTORY_FILE } from '../../src/backends/codesearch/embedded/format/history-file.ts';
import { filesOf, readManifest } from '../../src/backends/codesearch/embedded/format/manifest.ts';
import { openCodeIndex } from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import { createRepository } from '../support/git-repository.ts';
import { indexRequest } from '../support/index-request.ts';
import { indexedFiles } from '../support/indexed-files.ts';
import { type KilledRun, runKilledAt } from '../support/run-killed.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * What may happen to an index, each on a state of its own: the first build, a push that adds a delta and buries, moves
 * and revives documents, a push that merges deltas, tidying, and removal.
 */
export const operationNames = ['build', 'delta', 'merge', 'tidy', 'remove'] as const;
export type OperationName = (typeof operationNames)[number];

type Files = Readonly<Record<string, string>>;

export interface Operation {
  readonly name: OperationName;
  /** The state that it begins with, to be copied. */
  readonly template: string;
  /** Arguments of `index-program.ts` behind the root. */
  readonly args: readonly [what: string, gitDir: string, to: string];
  /** What answers hold before, and once the manifest is renamed or deleted. */
  readonly before: Files;
  readonly after: Files;
}

const organization = 'org';
const id = 'repo';
const program = join(import.meta.dirname, '../support/index-program.ts');
const scope = { organizationId: organization as OrganizationId, orgSlug: organization };
const { signal } = new AbortController();

export async function prepareOperations(): Promise<readonly Operation[]> {
  const repository = createRepository();
  const gitDir = join(repository.folder, '.git');
  const root = temporaryFolder();
  const index = openCodeIndex({ root, log: silentLog });
  const apply = async (to: string): Promise<void> => {
    await index.apply(indexRequest({ scope, repository: id, gitDir, to }), signal);
  };
  const keep = (): string => {
    const template = temporaryFolder();
    cpSync(root, template, { recursive: true });
    return template;
  };
  const operations: Operation[] = [];
  const add = async (name: OperationName, what: string, to: string): Promise<void> => {
    const [template, before] = [keep(), indexedFiles(root, organization)];
    const request = indexRequest({ scope, repository: id, gitDir, to });
    if (what === 'apply') await index.apply(request, signal);
    else if (what === 'tidy') await index.tidy(request, signal);
    else await index.remove(scope, request.repository.id);
    const after = indexedFiles(root, organization);
    operations.push({ name, template, args: [what, gitDir, to], before, after });
  };

  await add('build', 'apply', repository.commit(numbered(20, 'first')));
  await apply(repository.commit({ 'src/f1.ts': 'second\n' }));
  repository.git('mv', 'src/f7.ts', 'src/moved.ts');
  await add('delta', 'apply', repository.commit({ 'src/f1.ts': 'first 1\n', 'src/f2.ts': 'third\n' }));
  for (let round = 0; round < 7; round++) await apply(repository.commit({ [`n${round}.ts`]: `${round}\n` }));
  await add('merge', 'apply', repository.commit({ 'n2.ts': 'merged\n', 'n9.ts': 'nine\n' }));
  const last = repository.commit(numbered(12, 'changed'));
  await apply(last);
  await add('tidy', 'tidy', last);
  await add('remove', 'remove', last);
  return operations;
}

function numbered(count: number, text: string): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, file) => [`src/f${file}.ts`, `${text} ${file}\n`]),
  );
}

/** Runs the operation on a copy of its state, killed right before its n-th change of the file system (0: never). */
export async function runOperation(
  operation: Operation,
  n: number,
  cache: string,
): Promise<{ readonly root: string; readonly run: KilledRun }> {
  const root = temporaryFolder();
  cpSync(operation.template, root, { recursive: true });
  const [what, gitDir, to] = operation.args;
  const run = await runKilledAt(n, [program, what, root, gitDir, id, to], {
    preload: 'kill-at-file-write.ts',
    env: { NODE_COMPILE_CACHE: cache },
  });
  if (!run.killed && run.code !== 0) throw new Error(run.stderr);
  return { root, run };
}

/**
 * What is wrong after such an end; nothing is a clean one: answers are those of before or, once the manifest was renamed
 * or deleted, those of after; the next start leaves no file that the manifest does not name, and changes no answer; and
 * the same work done again ends where it should.
 */
export async function faultsAfter(
  operation: Operation,
  root: string,
  { writes, killed }: KilledRun,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const done = killed ? writes.slice(0, -1) : writes;
  const isCommitted = done.some(
    (write) => write === 'rename manifest.tmp to manifest' || write === 'unlink manifest',
  );
  const expected = isCommitted ? operation.after : operation.before;
  const differs = (files: Files): boolean =>
    JSON.stringify(sorted(files)) !== JSON.stringify(sorted(expected));
  if (differs(indexedFiles(root, organization))) faults.push('answers are of neither generation');
  const index = openCodeIndex({ root, log: silentLog });
  if (differs(indexedFiles(root, organization))) faults.push('the next start changed answers');
  faults.push(...orphansIn(root).map((name) => `the next start left ${name}`));
  const [what, gitDir, to] = operation.args;
  const request = indexRequest({ scope, repository: id, gitDir, to });
  if (what === 'remove') await index.remove(scope, request.repository.id);
  else await index.apply(request, signal);
  const again = JSON.stringify(sorted(indexedFiles(root, organization)));
  if (again !== JSON.stringify(sorted(operation.after))) faults.push('the work done again ended elsewhere');
  faults.push(...orphansIn(root).map((name) => `the work done again left ${name}`));
  return faults;
}

function orphansIn(root: string): string[] {
  const folder = join(root, organization, id);
  if (!existsSync(folder)) return [];
  const manifest = readManifest(folder);
  if (manifest === undefined) return [id];
  // A hint for ranking, which belongs to no generation.
  const named = filesOf(manifest).add(HISTORY_FILE);
  return readdirSync(folder).filter((name) => !named.has(name));
}

function sorted(files: Files): [string, string][] {
  return Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
