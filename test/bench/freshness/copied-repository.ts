import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export interface CopiedRepository {
  readonly folder: string;
  /** Commits the word to this number of text files, spread over the tree. */
  push(word: string, files: number): void;
}

const maxOutput = 2 ** 28;

/** Creates a bare repository with the files of the other repository's HEAD; it shares the objects of the other. */
export function copyRepository(repository: string): CopiedRepository {
  const folder = join(temporaryFolder(), 'source.git');
  const git = gitIn(folder);
  const of = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  writeFileSync(
    join(folder, 'objects/info/alternates'),
    `${resolve(repository, of('rev-parse', '--git-path', 'objects'))}\n`,
  );
  git('', 'update-ref', 'HEAD', git('', 'commit-tree', of('rev-parse', 'HEAD^{tree}'), '-m', 'Start'));
  git('', 'read-tree', 'HEAD');
  const paths = textFiles(git);
  if (paths.length === 0) throw new Error(`${repository} has no text file that a push could change`);
  return {
    folder,
    push: (word, files) => {
      const blob = (at: number): string =>
        git(`// ${word} ${at}\nconst x = ${at};\n`.repeat(100), 'hash-object', '-w', '--stdin');
      const changed = Array.from({ length: Math.min(files, paths.length) }, (_, at) => {
        const path = paths[(at * 7919 + word.length * files) % paths.length]!;
        return `100644 ${blob(at)}\t${path}\0`;
      });
      git(changed.join(''), 'update-index', '-z', '--index-info');
      const commit = git('', 'commit-tree', git('', 'write-tree'), '-p', 'HEAD', '-m', word);
      git('', 'update-ref', 'HEAD', commit);
    },
  };
}

type Git = (input: string, ...args: string[]) => string;

function gitIn(folder: string): Git {
  const identity = { GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.com' };
  const env = { PATH: process.env['PATH'], GIT_INDEX_FILE: `${folder}.index`, ...identity, ...committer };
  return (input, ...args) =>
    execFileSync('git', args, { cwd: folder, env, input, encoding: 'utf8', maxBuffer: maxOutput }).trim();
}

/** Returns the files with at least one line that are not binary. */
function textFiles(git: Git): readonly string[] {
  const regular = new Set(
    git('', 'ls-files', '-z', '--stage')
      .split('\0')
      .flatMap((entry) => (entry.startsWith('100') ? [entry.slice(entry.indexOf('\t') + 1)] : [])),
  );
  const ofHead = 'HEAD:'.length;
  return git('', 'grep', '-I', '-z', '--name-only', '-e', '', 'HEAD')
    .split('\0')
    .map((name) => name.slice(ofHead))
    .filter((path) => regular.has(path) && !path.includes('\ufffd'));
}
