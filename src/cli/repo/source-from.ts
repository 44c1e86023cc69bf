import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Makes a folder absolute, because the service has another working directory. */
export function sourceFrom(given: string, cwd: string): string {
  const path = resolve(cwd, given);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? path : given;
}
