import { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire, flushCompileCache, syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';

/*
 * Fault injection: counts the writes of the process it is loaded into and kills that with SIGKILL right before the n-th.
 * A test runs the same program with n = 1, 2, 3 … until it ends by itself, and looks after each death whether the next
 * start is clean; `run-killed.ts` does that.
 *
 *     KILL_AT_WRITE=<n>:<report> node --import <root>/test/support/kill-at-write.ts <program> …
 *
 * The program may be a source file or the built one. With n = 0 nothing is killed. `report` is a file: it gets the
 * writes as JSON, an array of short labels; after a kill its last one is the write that did not happen any more.
 *
 * What counts as a write:
 * - every statement of better-sqlite3 and pg that is no pure read, begin, commit and rollback among them; not counted are
 *   pragmas but for checkpoints, and on Postgres what starts with select, show, set or listen. Lines of a script given
 *   as one text are one write.
 * - a backup of a SQLite file, and its end;
 * - each Git process: before its start and after its end, and for fast-import every piece of its input;
 * - the rename of a file or folder.
 *
 * Processes which the program starts itself are left alone: the variable is removed from the environment. A program of
 * source may import `startCounting`, so that what it wrote until then does not count.
 */

const [, at, report] = /^(\d+):(.+)$/s.exec(process.env['KILL_AT_WRITE'] ?? '') ?? [];
let writes: string[] = [];

/** Forgets the writes so far: the next one is the first. */
export function startCounting(): void {
  writes = [];
}

function beforeWrite(label: string): void {
  writes.push(label.trim().replaceAll(/\s+/g, ' ').slice(0, 120));
  if (writes.length !== Number(at)) return;
  writeReport();
  // For the runs that follow; a killed process leaves nothing there by itself.
  flushCompileCache();
  process.kill(process.pid, 'SIGKILL');
  // The signal may reach another thread first; this one must not get any further.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function writeReport(): void {
  writeFileSync(report ?? '', JSON.stringify(writes));
}

type Callable = (this: unknown, ...args: never[]) => unknown;

/** Replaces a method by itself with `before` in front. */
function wrap(owner: object, name: string, before: (self: unknown, args: readonly unknown[]) => void): void {
  const methods = owner as Record<string, Callable>;
  const original = methods[name];
  if (original === undefined) throw new Error(`there is no ${name} to count`);
  methods[name] = function counted(this: unknown, ...args: never[]): unknown {
    before(this, args);
    return Reflect.apply(original, this, args);
  };
}

function countSqlite(): void {
  const connection = new BetterSqlite3(':memory:');
  const statements = Object.getPrototypeOf(connection.prepare('select 1')) as object;
  connection.close();
  for (const method of ['run', 'get', 'all', 'iterate']) {
    wrap(statements, method, (statement) => {
      const { source, readonly } = statement as BetterSqlite3.Statement;
      if (isSqliteWrite(source, readonly)) beforeWrite(source);
    });
  }
  wrap(BetterSqlite3.prototype, 'exec', (_connection, [script]) => {
    beforeWrite(String(script));
  });
  const { backup } = BetterSqlite3.prototype;
  BetterSqlite3.prototype.backup = async function counted(...args) {
    beforeWrite('backup');
    const result = await backup.apply(this, args);
    beforeWrite('after backup');
    return result;
  };
}

/** SQLite calls begin, commit and rollback harmless readers. */
function isSqliteWrite(source: string, readonly: boolean): boolean {
  if (/^\s*pragma/i.test(source)) return /^\s*pragma\s+wal_checkpoint/i.test(source);
  return !readonly || /^\s*(begin|commit|rollback|savepoint|release)\b/i.test(source);
}

function countPostgres(): void {
  wrap(pg.Client.prototype, 'query', (_client, [query]) => {
    const text = typeof query === 'string' ? query : String((query as { text?: unknown }).text);
    if (isPostgresWrite(text)) beforeWrite(text);
  });
}

function isPostgresWrite(text: string): boolean {
  if (/^\s*with\b/i.test(text)) return /\b(insert|update|delete|merge)\b/i.test(text);
  return !/^\s*(select|show|set|listen|unlisten)\b/i.test(text);
}

function countGit(): void {
  // Every way to start a process asynchronously ends in this method.
  wrap(ChildProcess.prototype, 'spawn', (child, [options]) => {
    const { file, args = [] } = options as { file: string; args?: readonly string[] };
    if (basename(file) !== 'git') return;
    const [, ...words] = args;
    const label = `git ${words.join(' ')}`;
    beforeWrite(label);
    const process = child as ChildProcess;
    process.once('exit', () => beforeWrite(`after ${label}`));
    if (words.includes('fast-import')) queueMicrotask(() => countInput(process, label));
  });
}

function countInput({ stdin }: ChildProcess, label: string): void {
  if (stdin === null) return;
  wrap(stdin, 'write', () => beforeWrite(`input of ${label}`));
  wrap(stdin, 'end', () => beforeWrite(`end of the input of ${label}`));
}

function countRenames(): void {
  const require = createRequire(import.meta.url);
  const before = (_self: unknown, [from, to]: readonly unknown[]): void => {
    beforeWrite(`rename ${basename(String(from))} to ${basename(String(to))}`);
  };
  for (const name of ['renameSync', 'rename']) wrap(require('node:fs') as object, name, before);
  wrap(require('node:fs/promises') as object, 'rename', before);
  syncBuiltinESMExports();
}

if (isMainThread && report !== undefined) {
  delete process.env['KILL_AT_WRITE'];
  countSqlite();
  countPostgres();
  countGit();
  countRenames();
  process.once('exit', writeReport);
}
