import { stat } from 'node:fs/promises';

/** Whether something lies at `path`; a link that leads nowhere, and what may not be looked at, count as nothing. */
export function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
