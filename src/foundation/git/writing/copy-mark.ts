import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';

/** A copy is of one branch of one source, and whole: who finds it torn takes this mark away. */
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

/** The copy is made anew when it is next asked for. */
export async function condemn(gitDir: string): Promise<void> {
  await rm(markPath(gitDir), { recursive: true, force: true });
}
