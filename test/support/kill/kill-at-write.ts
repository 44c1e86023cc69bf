import { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire, flushCompileCache, syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';

/*
 * Crash injection: counts the writes of its process and kills the process with SIGKILL right before the n-th write. A
 * test runs the same program with n = 1, 2, 3 … until it ends by itself, and checks after each kill that the next start
 * is clean; `run-killed.ts` does that.
 *
 *     KILL_AT_WRITE=<n>:<report> node --import <root>/test/support/kill-at-write.ts <program> …
 *
 * The program may be a source file or the built one. With n = 0 nothing is killed. `report` is a file that receives the
 * writes as a JSON array of short labels; after a kill the last one is the write that did not happen.
 *
 * The following count as writes:
 * - every statement of better-sqlite3 and pg that is not a pure read, including begin, commit and rollback; pragmas
 * other   than WAL checkpoints do not count, nor Postgres statements that start with select, show, set or listen. A
 * script with   several statements is one write.
 * - a backup of a SQLite file, and its end;
 * - each Git process: before its start and after its end, and for fast-import every piece of its input;
 * - the rename of a file or folder.
 *
 * Child processes are not affected: the variable is removed from the environment. A source program may call
 * `startCounting`, so that its earlier writes do not count.
 */

const [, at, report] = /^(\d+):(.+)$/s.exec(process.env['KILL_AT_WRITE'] ?? '') ?? [];
let writes: string[] = [];

/** Resets the count: the next write is the first. */
export function startCounting(): void {
  writes = [];
}

function beforeWrite(label: string): void {
  writes.push(label.trim().replaceAll(/\s+/g, ' ').slice(0, 120));
  if (writes.length !== Number(at)) return;
  writeReport();
  // Saves the compile cache for later runs; a killed process would not save it.
  flushCompileCache();
  process.kill(process.pid, 'SIGKILL');
  // The signal may reach another thread first; this thread must not continue.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function writeReport(): void {
  writeFileSync(report ?? '', JSON.stringify(writes));
}

type Callable = (this: unknown, ...args: never[]) => unknown;

/** Replaces a method by one that calls `before` first. */
function wrap(owner: object, name: string, before: (self: unknown, args: readonly unknown[]) => void): void {
  const methods = owner as Record<string, Callable>;
  const original = methods[name];
  if (original === undefined) throw new Error(`there is no method ${name}`);
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

/** Returns whether a statement writes; SQLite reports begin, commit and rollback as read-only. */
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
  // Every asynchronous start of a process calls this method.
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
