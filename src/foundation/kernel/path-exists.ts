import { stat } from 'node:fs/promises';

/**
 * Returns whether a file or folder exists at `path`. Returns false for a dangling link and for a path without access.
 */
export function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
