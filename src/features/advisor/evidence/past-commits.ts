import {
  type HistoryRequest,
  historyLimits,
  type SourceHistoryCommit,
} from '../../../backends/codesearch/port.ts';
import { originOfKey } from '../../../backends/graph/port.ts';
import { noLaterThanNow } from '../../../foundation/git/objects/history/commit-time.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { timeOf } from '../../knowledge/queries/commits-before.ts';
import { type RelatedNode, reached, step } from '../../knowledge/queries/related-node.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { inlineCode, plainText, quoted } from '../text/markdown.ts';
import { nextCall } from './place-source.ts';
import { commitSource, dayOf, type PastCommit } from './sources.ts';

/** Maximum lengths of a subject and body that are read, and of a reason. */
const max = { subject: 300, body: 8_000, reason: 400 } as const;

export interface Past {
  /** Newest first; of a search for words, those that have most of them first. */
  readonly commits: readonly PastCommit[];
  /** False if older commits were not read because of their number or the time, or because the mirror lacks them. */
  readonly isWhole: boolean;
}

/** Reads commits of a repository; none if `bounded` is aborted before. */
export async function historyOf(
  inquiry: Inquiry,
  repository: SearchableRepository,
  request: Partial<HistoryRequest>,
  bounded: AbortSignal = inquiry.signal,
): Promise<Past> {
  const { deps, scope } = inquiry;
  const asked = { skip: 0, max: historyLimits.commits, files: false, ...request, repository: repository.id };
  const history = await orNone(inquiry, deps.sources.readHistory(scope, asked, bounded));
  const { commits = [], more = true, whole = false, lacksOlder = false } = history ?? {};
  return { commits: commits.map((one) => commitOf(repository, one)), isWhole: whole && !more && !lacksOlder };
}

/** Returns `undefined` for a history that cannot be read. @throws at the end of the question's time */
export async function orNone<T>({ signal }: Inquiry, history: Promise<T>): Promise<T | undefined> {
  return await history.catch(orUndefined(() => !signal.aborted));
}

/** Returns a commit as answers read it. */
export function commitOf(
  repository: SearchableRepository,
  { id, time, author, message, paths, followed }: Omit<SourceHistoryCommit, 'changed'>,
): PastCommit {
  const [subject = ''] = message.split('\n', 1);
  return given({
    repository,
    id,
    time: noLaterThanNow(time),
    author: visibleLine(author.name),
    subject: subject === '' ? shortCommit(id) : subject.slice(0, max.subject),
    body: message.slice(subject.length, subject.length + max.body),
    paths,
    followed,
  });
}

/** Returns commits of the graph with their authors, in the same order; those that cannot be searched are left out. */
export async function relatedCommits(
  inquiry: Inquiry,
  related: readonly RelatedNode[],
): Promise<readonly PastCommit[]> {
  const { view, scope } = inquiry;
  const commits = related.map(async ({ node }): Promise<readonly PastCommit[]> => {
    const repository = repositoryWith(inquiry, originOfKey(node.key));
    const { sha } = node.props;
    if (repository === undefined || typeof sha !== 'string') return [];
    const from = [node.key];
    const found = await step(view.graph, scope, { from, direction: 'out', kinds: ['authored_by'] });
    const people = reached(found, from, ['person']);
    // The author comes before the co-authors.
    const author = people.find(({ edge }) => edge.rule === 'author') ?? people[0];
    const name = visibleLine(author?.node.name ?? '');
    const text = { subject: node.name.slice(0, max.subject), body: '', paths: [] };
    return [{ repository, id: sha, time: timeOf(node), author: name, ...text }];
  });
  return (await Promise.all(commits)).flat();
}

/** Describes a commit on one line: repository, id, day, author and subject. */
export function commitSentence(inquiry: Inquiry, commit: PastCommit): Sentence {
  const { repository, id, time, author, subject, body } = commit;
  // The subject of a merge says nothing itself.
  const [merged = ''] = subject.startsWith('Merge ') ? body.trim().split('\n', 1) : [];
  const facts = [dayOf(time), plainText(author)].filter(Boolean).join(', ');
  const place = `${inlineCode(repository.name)} ${inlineCode(shortCommit(id))}`;
  return [
    `${place} (${facts}) ${quoted(subject, 120)}${merged === '' ? '' : `, ${quoted(merged, 120)}`}`,
    commitSource(inquiry, commit),
  ];
}

/** Returns the call that shows a commit. */
export function showCommit({ repository, id }: PastCommit): readonly string[] {
  return nextCall('show_commit', { repository: repository.name, commit: id.slice(0, 12) });
}

/** Matches the trailers at the end of a message. */
const trailers = /\n(?:signed-off-by|co-authored-by|reviewed-by|change-id): [^]*$/iu;

/** Returns the beginning of the body of a message without its trailers. */
export function reasonOf({ body }: Pick<PastCommit, 'body'>): string {
  return shorten(body.replace(trailers, '').trim(), max.reason);
}
