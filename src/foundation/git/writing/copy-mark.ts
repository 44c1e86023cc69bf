import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';

/**
 * The content of the mark of a valid copy: its source and branch. The mark is removed when the copy is found to be
 * damaged.
 */
export interface CopyMark {
  readonly source: string;
  readonly branch: string;
}

const markFile = 'orgctx-copy.json';

export function markText({ source, branch }: CopyMark): string {
  return `${JSON.stringify({ source, branch })}\n`;
}

export function markPath(gitDir: string): string {
  return join(gitDir, markFile);
}

export async function hasMark(gitDir: string, mark: CopyMark): Promise<boolean> {
  try {
    return (await readFile(markPath(gitDir), 'utf8')) === markText(mark);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(errorCode(error)))) return false;
    throw error;
  }
}

/** Removes the mark, so that the copy is created again when it is next needed. */
export async function invalidateCopy(gitDir: string): Promise<void> {
  await rm(markPath(gitDir), { recursive: true, force: true });
}
