import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAbsent } from '../format/durable-files.ts';
import { historyFile } from '../format/history-file.ts';
import { filesOf, manifestFile, readManifest } from '../format/manifest.ts';
import { foldersIn, organizationFolder, repositoryFolder } from '../format/repository-folder.ts';
import { symbolsDamageMark } from '../format/symbols-file.ts';
import { isLivingDraft, takeWriteLock } from '../format/write-lock.ts';
import { damageMark } from '../read/repository-index.ts';
import { unreadableWordsFile, wordsFile } from '../words/words-file.ts';

/**
 * Deletes files that the manifest does not name. Deletes nothing if the manifest is unreadable, such as one of a
 * newer version, which the next `apply` replaces. The caller must hold the lock.
 */
export function deleteLeftovers(folder: string): void {
  const manifest = readManifest(folder);
  if (manifest === undefined && existsSync(manifestFile(folder))) return;
  const kept = filesOf(manifest).add('lock');
  if (manifest !== undefined) kept.add(damageMark(manifest.generation)).add(historyFile);
  for (const { file, symbols } of manifest?.segments ?? []) {
    kept.add(wordsFile(file)).add(unreadableWordsFile(file));
    if (symbols !== undefined) kept.add(symbolsDamageMark(symbols));
  }
  for (const name of readdirSync(folder)) {
    if (!kept.has(name) && !isLivingDraft(folder, name))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Deletes what killed processes left: unfinished segments and folders without a manifest. Skips repositories that are
 * being written.
 */
export function deleteIndexLeftovers(root: string): void {
  for (const organization of foldersIn(root)) {
    for (const repository of foldersIn(organizationFolder(root, organization))) {
      deleteRepositoryLeftovers(repositoryFolder(root, organization, repository));
    }
    removeIfEmpty(organizationFolder(root, organization));
  }
}

function deleteRepositoryLeftovers(folder: string): void {
  const lock = takeWriteLock(folder);
  if (lock === undefined) return;
  try {
    deleteLeftovers(folder);
  } finally {
    lock.release();
  }
  removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && !isAbsent(error)) throw error;
  }
}
