import { createHash } from 'node:crypto';
import type { HistoryCommit } from '../../../foundation/git/objects/history/commit-history.ts';
import type { NewPath } from '../../../foundation/git/objects/history/new-paths.ts';
import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import { FactList } from './fact-list.ts';
import { commitKey, fileKey, pullKey, pullName } from './keys.ts';
import { addPerson, type Mailmap } from './people.ts';
import { addReferences } from './text-references.ts';

interface CommitPlace {
  readonly repositoryId: string;
  /** Host and path of the repository; `undefined` for a folder. */
  readonly hosted: string | undefined;
  readonly mailmap: Mailmap;
  /** The renames of the whole history of the repository. */
  readonly renames: RenamedPaths;
}

/**
 * Maximum number of co-authors of a commit, of characters of its message that are read for them, and of its first lines
 * in which the title of a pull request is looked for.
 */
const max = { coAuthors: 100, text: 200_000, titleLines: 20 } as const;
/** No two parts match the same spaces, so that a hostile message takes linear time. */
const coAuthor = /^Co-authored-by:([^<>\n]{0,200})<([^<>\n]{1,200})>[ \t\r]*$/gim;
/** The subject that Git hosts give a merge, with its branch; and the suffix of a squashed pull request. */
const mergeSubject = /^Merge (?:pull request|PR) #(\d{1,9})(?: from (\S{1,300}))?/;
/** A line such as `Signed-off-by: Ada`, which is no title. */
const trailer = /^[A-Z][A-Za-z]+(?:-[a-z]+)+: /;
const squashSuffix = /\(#(\d{1,9})\)\s*$/;
const branchIdentifier = /(?<![a-z0-9])([a-z][a-z0-9]{0,9}-\d{1,6})(?![a-z0-9])/gi;

/** Returns what a commit says: who wrote it, which files it touched, and what it names. */
export function commitFacts(
  { repositoryId, hosted, mailmap, renames }: CommitPlace,
  commit: Omit<HistoryCommit, 'parent'>,
): FactList {
  const facts = new FactList();
  const [subject = ''] = commit.message.split('\n', 1);
  const key = facts.node(commitKey(repositoryId, commit.id), nameOf(commit), {
    sha: commit.id,
    time: commit.time,
    changed: commit.changed,
    // Only some of the paths are linked.
    truncated: commit.changed > commit.paths.length ? true : undefined,
  });
  const author = addPerson(facts, mailmap(commit.author));
  const committer = addPerson(facts, mailmap(commit.committer));
  const authored = { rule: 'author', evidence: 'author', confidence: 100 };
  if (author !== undefined) facts.edge(key, 'authored_by', author, authored);
  if (committer !== undefined && committer !== author)
    facts.edge(key, 'committed_by', committer, { ...authored, rule: 'committer', evidence: 'committer' });
  const coAuthors = [...commit.message.slice(0, max.text).matchAll(coAuthor)];
  for (const [, name = '', email = ''] of coAuthors.slice(0, max.coAuthors)) {
    const other = addPerson(facts, mailmap({ name: name.trim(), email }));
    const evidence = 'Co-authored-by';
    if (other !== undefined)
      facts.edge(key, 'authored_by', other, { ...authored, rule: 'co-author', evidence });
  }
  for (const path of commit.paths) {
    const present = renames.presentPath(path);
    const reason =
      present === undefined
        ? { rule: 'diff', evidence: path, confidence: 100 }
        : { rule: 'rename', evidence: `renamed from ${path}`, confidence: 90 };
    facts.edge(key, 'touches', fileKey(repositoryId, present ?? path), reason);
  }
  addPull(facts, key, { repositoryId, hosted }, subject);
  addReferences(facts, key, [
    { field: 'title', text: subject },
    { field: 'message', text: commit.message.slice(subject.length) },
  ]);
  return facts;
}

/**
 * Returns the name of a commit: its subject. The subject of a merge by a Git host says only which branch was merged, so
 * the merge is named by the title of its pull request, which is the first line after it.
 */
function nameOf({ id, message }: Pick<HistoryCommit, 'id' | 'message'>): string {
  const [subject = '', ...body] = message.split('\n', max.titleLines);
  const [, number] = mergeSubject.exec(subject) ?? [];
  const title = number === undefined ? undefined : body.find((line) => line.trim() !== '')?.trim();
  if (title !== undefined && !trailer.test(title)) return `${title} (#${number})`;
  return subject || id.slice(0, 12);
}

function addPull(
  facts: FactList,
  commit: string,
  { repositoryId, hosted }: Pick<CommitPlace, 'repositoryId' | 'hosted'>,
  subject: string,
): void {
  const [, merged, branch = ''] = mergeSubject.exec(subject) ?? [];
  const number = merged ?? squashSuffix.exec(subject)?.[1];
  for (const match of branch.matchAll(branchIdentifier)) {
    const name = (match[1] ?? '').toUpperCase();
    facts.mention(commit, 'mentions', name, { rule: 'branch', evidence: `title ${branch}`, confidence: 90 });
  }
  if (number === undefined) return;
  const id = Number(number);
  const pull = facts.node(pullKey(repositoryId, id), `#${id}`, { number: id });
  const [rule, confidence] =
    merged === undefined ? (['squash-suffix', 95] as const) : (['merge-subject', 100] as const);
  facts.edge(commit, 'part_of', pull, { rule, evidence: 'title', confidence });
  if (hosted !== undefined) facts.alias(pullName(hosted, id), pull, 'pull-request');
}

/**
 * Knows the present path of each renamed file by its former ones. A path that a later file took again means that file.
 */
export class RenamedPaths {
  /** Renamed files by each path that they had and that no file took since. */
  readonly #former = new Map<string, { path: string }>();
  /** The same files by their present path. */
  readonly #present = new Map<string, { path: string }>();

  /** Adds what a commit made. Commits are added oldest first. */
  add({ path, from }: NewPath): void {
    const file = from === undefined ? undefined : (this.#present.get(from) ?? { path });
    if (file !== undefined && from !== undefined) {
      this.#present.delete(from);
      this.#former.set(from, file);
      file.path = path;
    }
    this.#former.delete(path);
    if (file === undefined) this.#present.delete(path);
    else this.#present.set(path, file);
  }

  /** Returns the present path of a file that had a path before; `undefined` if no such file was renamed. */
  presentPath(former: string): string | undefined {
    return this.#former.get(former)?.path;
  }

  /** Returns a hash of what `presentPath` returns for all paths. */
  hash(): string {
    const hash = createHash('sha256');
    for (const [former, { path }] of [...this.#former].toSorted(([a], [b]) => compareText(a, b)))
      hash.update(`${former}\0${path}\0`);
    return hash.digest('hex').slice(0, 32);
  }
}
