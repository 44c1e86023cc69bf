import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The program of the other process: takes the write lock, says so, and commits on a line of input or its end. */
const program = `
import BetterSqlite3 from 'better-sqlite3';
const connection = new BetterSqlite3(process.argv[1], { fileMustExist: true });
connection.exec('begin immediate');
process.stdout.write('held');
process.stdin.once('readable', () => {
  connection.exec('commit');
  connection.close();
  process.exit(0);
});`;

/** Starts a process that holds the write lock of a SQLite file. Returns the function that ends it. */
export async function holdWriteLock(file: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, file], {
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  if (child.exitCode !== null) throw new Error('The write lock was not taken.');
  return async () => {
    child.stdin.end('go\n');
    await ended;
  };
}
