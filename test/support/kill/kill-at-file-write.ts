import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/*
 * Like `kill-at-write.ts`, for programs with their own file formats: kills the process right before its n-th
 * file-system change (a file is created, written, synced, renamed, linked or deleted), with the same variable and the
 * same report. Reading and closing files change nothing and do not count.
 */

const [, at, report] = /^(\d+):(.+)$/s.exec(process.env['KILL_AT_WRITE'] ?? '') ?? [];
const writes: string[] = [];
const names = new Map<unknown, string>();

/** The original functions, so that the report is not counted. */
const { openSync, writeFileSync } = fs;

function beforeChange(label: string): void {
  writes.push(label);
  if (writes.length !== Number(at)) return;
  writeReport();
  process.kill(process.pid, 'SIGKILL');
  // The signal may reach another thread first; this thread must not continue.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function writeReport(): void {
  writeFileSync(report ?? '', JSON.stringify(writes));
}

type Callable = (this: unknown, ...args: unknown[]) => unknown;

function count(name: string, labelOf: (args: readonly unknown[]) => string | undefined): void {
  const functions = fs as unknown as Record<string, Callable>;
  const original = functions[name];
  if (original === undefined) throw new Error(`fs has no function ${name}`);
  functions[name] = function counted(this: unknown, ...args: unknown[]): unknown {
    const label = labelOf(args);
    if (label !== undefined) beforeChange(label);
    return Reflect.apply(original, this, args);
  };
}

function nameOf(file: unknown): string {
  // Removes random parts, so that labels are equal in all runs.
  const name = names.get(file) ?? basename(String(file));
  return name.replaceAll(/[0-9a-f]{24}|-[0-9a-f]{8}(?=\.seg)|\.\d+(?=\.)/g, '');
}

function countOpens(): void {
  const functions = fs as unknown as Record<string, Callable>;
  functions['openSync'] = (...args) => {
    const [file, flags] = args;
    if (typeof flags === 'string' && flags.startsWith('w')) beforeChange(`create ${nameOf(file)}`);
    const fd = Reflect.apply(openSync as Callable, undefined, args);
    names.set(fd, basename(String(file)));
    return fd;
  };
}

if (isMainThread && report !== undefined) {
  delete process.env['KILL_AT_WRITE'];
  countOpens();
  for (const name of ['writeSync', 'write']) count(name, ([file]) => `write ${nameOf(file)}`);
  for (const name of ['fsyncSync', 'fsync', 'fdatasync', 'fdatasyncSync'])
    count(name, ([file]) => `sync ${nameOf(file)}`);
  for (const name of ['writeFileSync', 'mkdirSync', 'unlinkSync', 'rmSync', 'rmdirSync']) {
    count(name, ([file]) => `${name.replace('Sync', '')} ${nameOf(file)}`);
  }
  for (const name of ['renameSync', 'linkSync']) {
    count(name, ([from, to]) => `${name.replace('Sync', '')} ${nameOf(from)} to ${nameOf(to)}`);
  }
  syncBuiltinESMExports();
  process.once('exit', writeReport);
}
