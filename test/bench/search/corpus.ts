import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { pathBytes, pathText } from '../../../src/foundation/git/objects/path-text.ts';

/** A repository of the corpus; every engine uses `name` for it. */
export interface CorpusRepository {
  readonly name: string;
  readonly gitDir: string;
  readonly commit: string;
  /** Total size of its text files. */
  readonly bytes: number;
}

export interface Corpus {
  readonly repositories: readonly CorpusRepository[];
  /** Folder with one subfolder per repository, which holds its unchanged text files. */
  readonly checkout: string;
  readonly files: number;
  /** Total size of the files. */
  readonly bytes: number;
}

interface TextFile {
  readonly oid: string;
  readonly path: string;
  readonly bytes: number;
}

const maxFileBytes = 1024 * 1024;
const binaryProbe = 8 * 1024;
const batchBytes = 64 * 1024 * 1024;

/**
 * Writes the text files of each repository's HEAD to `checkout`, for the engines that read a checkout: up to 1 MiB, no
 * NUL in the first 8 KiB. Bytes come from `git cat-file`, since `git archive` would apply attributes.
 */
export function writeCorpus(gitDirs: readonly string[], checkout: string): Corpus {
  let files = 0;
  const repositories = gitDirs.map((gitDir, number) => {
    const name = `r${number}`;
    let bytes = 0;
    const commit = git(gitDir, ['rev-parse', 'HEAD']).toString().trim();
    for (const batch of batches(listFiles(gitDir, commit))) {
      eachBlob(gitDir, batch, (path, content) => {
        files += 1;
        bytes += content.length;
        writeFile(Buffer.concat([Buffer.from(`${checkout}/${name}/`), pathBytes(path)]), content);
      });
    }
    return { name, gitDir, commit, bytes };
  });
  const bytes = repositories.reduce((sum, repository) => sum + repository.bytes, 0);
  return { repositories, checkout, files, bytes };
}

function listFiles(gitDir: string, commit: string): TextFile[] {
  const files: TextFile[] = [];
  for (const record of split(git(gitDir, ['ls-tree', '-r', '-z', '--long', '--full-tree', commit]))) {
    const tab = record.indexOf(9);
    const [mode = '', , oid = '', size = ''] = record.toString('latin1', 0, tab).split(/ +/);
    const bytes = Number(size);
    if (!mode.startsWith('100') || bytes > maxFileBytes) continue;
    files.push({ oid, path: pathText(record.subarray(tab + 1)), bytes });
  }
  return files;
}

function* batches(files: readonly TextFile[]): Generator<TextFile[]> {
  let [batch, bytes]: [TextFile[], number] = [[], 0];
  for (const file of files) {
    batch.push(file);
    bytes += file.bytes;
    if (bytes < batchBytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  yield batch;
}

function eachBlob(
  gitDir: string,
  files: readonly TextFile[],
  take: (path: string, content: Buffer) => void,
): void {
  const output = git(gitDir, ['cat-file', '--batch'], files.map((file) => `${file.oid}\n`).join(''));
  let at = 0;
  for (const { path, bytes } of files) {
    const start = output.indexOf(10, at) + 1;
    const content = output.subarray(start, start + bytes);
    if (!content.subarray(0, binaryProbe).includes(0)) take(path, content);
    at = start + bytes + 1;
  }
}

function writeFile(path: Buffer, content: Buffer): void {
  mkdirSync(path.subarray(0, path.lastIndexOf(47)), { recursive: true });
  writeFileSync(path, content);
}

function* split(output: Buffer): Generator<Buffer> {
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at)) {
    yield output.subarray(at, end);
  }
}

function git(gitDir: string, args: readonly string[], input = ''): Buffer {
  const { status, stdout, stderr } = spawnSync('git', ['--git-dir', gitDir, ...args], {
    input,
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`git ${args[0]} in ${gitDir}: ${stderr.toString()}`);
  return stdout;
}
