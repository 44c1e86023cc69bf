import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { languageOf, maxFileBytes } from '../../../src/backends/codesearch/port.ts';
import type { SourceText } from '../../../src/backends/languages/port.ts';
import { languages } from '../../../src/backends/languages/port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A file of a language that has a grammar. */
export interface CodeFile {
  readonly path: string;
  readonly oid: string;
  readonly bytes: number;
}

export interface Corpus {
  /** A bare repository. */
  readonly folder: string;
  readonly files: readonly CodeFile[];
  head(): string;
  read(files: readonly CodeFile[]): readonly SourceText[];
  /** Commits a file with more text at its end. */
  append(path: string, text: string): void;
}

const maxOutput = 2 ** 30;

/**
 * Creates a repository with one commit, which has the files of HEAD of each repository in a folder of its own. Files
 * that a partial clone lacks are left out.
 */
export function mergeRepositories(repositories: readonly string[]): Corpus {
  const folder = join(temporaryFolder(), 'corpus.git');
  const git = gitIn(folder);
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  const paths = repositories.map((each) => gitIn(each)('', 'rev-parse', '--git-path', 'objects'));
  const objects = repositories.map((each, index) => resolve(each, paths[index] ?? ''));
  writeFileSync(join(folder, 'objects/info/alternates'), `${objects.join('\n')}\n`);
  for (const [index, each] of repositories.entries()) {
    const name = basename(resolve(each)).replace(/\.git$/, '');
    git(presentFiles(gitIn(each), `${index}-${name}`), 'update-index', '-z', '--index-info');
  }
  git('', 'update-ref', 'HEAD', git('', 'commit-tree', git('', 'write-tree'), '-m', 'Start'));
  return {
    folder,
    files: codeFiles(git('', 'ls-tree', '-r', '-l', '-z', 'HEAD')),
    head: () => git('', 'rev-parse', 'HEAD'),
    read: (files) => readFiles(folder, files),
    append: (path, text) => {
      const blob = git(`${textOf(git, path)}\n${text}`, 'hash-object', '-w', '--stdin');
      git(`100644 ${blob}\t${path}\0`, 'update-index', '-z', '--index-info');
      const commit = git('', 'commit-tree', git('', 'write-tree'), '-p', 'HEAD', '-m', `Change ${path}`);
      git('', 'update-ref', 'HEAD', commit);
    },
  };
}

function textOf(git: Git, path: string): string {
  return git('', 'cat-file', 'blob', `HEAD:${path}`);
}

/** Lists the files of HEAD whose objects exist, for an index, in a folder. */
function presentFiles(git: Git, folder: string): string {
  const entries = git('', 'ls-tree', '-r', '-z', 'HEAD')
    .split('\0')
    .flatMap((line) => {
      const [, mode, oid, path] = /^(100\d{3}) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return mode === undefined || oid === undefined || path === undefined ? [] : [{ mode, oid, path }];
    });
  const checked = git(entries.map(({ oid }) => `${oid}\n`).join(''), 'cat-file', '--batch-check').split('\n');
  return entries
    .filter((_, index) => checked[index]?.endsWith(' missing') === false)
    .map(({ mode, oid, path }) => `${mode} ${oid}\t${folder}/${path}\0`)
    .join('');
}

function readFiles(folder: string, files: readonly CodeFile[]): readonly SourceText[] {
  const input = files.map(({ oid }) => `${oid}\n`).join('');
  const output = execFileSync('git', ['cat-file', '--batch'], { cwd: folder, input, maxBuffer: maxOutput });
  let at = 0;
  return files.map(({ path, bytes }) => {
    const start = output.indexOf('\n', at) + 1;
    at = start + bytes + 1;
    return { path, language: languageOf(path), text: output.toString('utf8', start, start + bytes) };
  });
}

function codeFiles(listing: string): readonly CodeFile[] {
  return listing
    .split('\0')
    .flatMap((line) => {
      const [, oid, bytes, path] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.+)$/s.exec(line) ?? [];
      return oid === undefined || path === undefined ? [] : [{ path, oid, bytes: Number(bytes) }];
    })
    .filter(({ path, bytes }) => languages.has(languageOf(path)) && bytes <= maxFileBytes);
}

type Git = (input: string, ...args: string[]) => string;

function gitIn(folder: string): Git {
  const identity = { GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.com' };
  const env = {
    PATH: process.env['PATH'],
    GIT_NO_LAZY_FETCH: '1',
    GIT_INDEX_FILE: `${folder}.index`,
    ...identity,
    ...committer,
  };
  return (input, ...args) =>
    execFileSync('git', args, { cwd: folder, env, input, encoding: 'utf8', maxBuffer: maxOutput }).trim();
}
