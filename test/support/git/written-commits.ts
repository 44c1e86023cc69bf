import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { TestRepository } from './git-repository.ts';

interface WrittenCommit {
  readonly parents: readonly string[];
  readonly message: string;
  /** In seconds since 1970. */
  readonly time?: number;
}

/** Writes a commit that no ref reaches, with the tree of `HEAD`. */
export function writeCommit(source: TestRepository, commit: WrittenCommit): string {
  return write(source, contentOf(source.git('rev-parse', 'HEAD^{tree}'), commit));
}

/** Writes two commits on top of `HEAD` whose ids begin with the same seven digits. No ref reaches them. */
export function writeCollidingCommits(source: TestRepository): readonly [string, string] {
  const tree = source.git('rev-parse', 'HEAD^{tree}');
  const parents = [source.git('rev-parse', 'HEAD')];
  const contents = new Map<string, string>();
  // Some 20,000 tries find two with one of 268 million prefixes.
  for (let number = 0; ; number += 1) {
    const content = contentOf(tree, { parents, message: `Number ${number}` });
    const prefix = createHash('sha1')
      .update(`commit ${content.length}\0${content}`)
      .digest('hex')
      .slice(0, 7);
    const other = contents.get(prefix);
    if (other !== undefined) return [write(source, other), write(source, content)];
    contents.set(prefix, content);
  }
}

function contentOf(tree: string, { parents, message, time = 1_700_000_000 }: WrittenCommit): string {
  const who = `Test <test@example.com> ${time} +0000`;
  const lines = parents.map((parent) => `parent ${parent}\n`).join('');
  return `tree ${tree}\n${lines}author ${who}\ncommitter ${who}\n\n${message}\n`;
}

function write({ folder }: TestRepository, content: string): string {
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return execFileSync('git', args, { cwd: folder, input: content, encoding: 'utf8' }).trim();
}
