import { isObjectId } from '../objects/commit-id.ts';
import { pathText } from '../objects/path-text.ts';
import { records } from '../objects/records.ts';
import { gitOutput, spawnGit } from '../process/spawn-git.ts';

/** Returns the number of digits of the ids in a repository. */
export async function idLengthOf(gitDir: string): Promise<number> {
  const format = await gitOutput(gitDir, ['rev-parse', '--show-object-format']);
  return format.toString('utf8').trim() === 'sha256' ? 64 : 40;
}

/**
 * Returns the ids of top folders of a commit as one text, which is equal for equal content. `undefined`: no commit.
 */
export async function folderIds(
  gitDir: string,
  commit: string | undefined,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  if (commit === undefined) return folders.map(() => '-').join(' ');
  const input = folders.map((folder) => `${commit}:${folder}\n`).join('');
  const output = await gitOutput(gitDir, ['cat-file', '--batch-check=%(objectname)'], { input, signal });
  const lines = output.toString('utf8').trimEnd().split('\n');
  return lines.map((line) => (isObjectId(line) ? line : '-')).join(' ');
}

/**
 * Returns the ids of the files at some paths of a commit, by path; what is no file has none. Reads folders only, so
 * that no content is needed. At most a few thousand paths, which become arguments. `undefined`: no commit.
 */
export async function filesAt(
  gitDir: string,
  commit: string | undefined,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (commit === undefined || paths.length === 0) return found;
  const listing = spawnGit(gitDir, ['ls-tree', '-z', '--full-tree', commit, '--', ...paths], signal);
  for await (const record of records(listing)) {
    const tab = record.indexOf(9);
    const [mode = '', type, id = ''] = record.toString('latin1', 0, tab).split(' ');
    if (type === 'blob' && mode.startsWith('100')) found.set(pathText(record.subarray(tab + 1)), id);
  }
  return found;
}

/**
 * Returns which ids the commits of one author gave to files at some paths, as `<path> <id>`, in the history of a
 * commit.
 */
export async function idsWrittenBy(
  gitDir: string,
  commit: string,
  email: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const format = ['--format=', '--raw', '--no-abbrev', '--no-renames', '-z'];
  const author = ['--fixed-strings', `--author=<${email}>`];
  const args = ['--literal-pathspecs', 'log', ...format, ...author, commit, '--', ...paths];
  const written = new Set<string>();
  let id = '';
  for await (const record of records(spawnGit(gitDir, args, signal))) {
    const text = pathText(record);
    // `:<mode> <mode> <id> <id> <status>`, and then the path.
    const change = /^\n?:\d{6} \d{6} [\da-f]+ ([\da-f]+) [A-Z]/.exec(text);
    if (change === null) written.add(`${text} ${id}`);
    else id = change[1] ?? '';
  }
  return written;
}
