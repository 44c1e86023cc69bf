import type { SourceHistoryCommit } from '../../backends/codesearch/port.ts';
import type { HistoryCommit } from './history-record.ts';
import { namedInMessage } from './named-in-message.ts';

/** Maximum length of a subject. */
const maxSubject = 300;

/** Returns the subject of a commit. */
export function subjectOf(message: string): string {
  const [subject = ''] = message.trimStart().split('\n', 1);
  return subject.trim().slice(0, maxSubject).toWellFormed();
}

/** Returns a time of Git, in seconds since 1970, in RFC 3339. */
export function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** Returns a commit of a repository as the surfaces show it. */
export function itemOf(
  { id, time, author, message, paths, changed, renamedFrom }: SourceHistoryCommit,
  repository: string,
): HistoryCommit {
  return {
    commit: id,
    repository,
    date: dateOf(time),
    author: author.name,
    subject: subjectOf(message),
    ...namedInMessage(id, message),
    files: { total: changed, first: paths },
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
  };
}

/** Returns how to read the commits that no cursor reaches. */
export function continueBy(commits: readonly { readonly time: number }[]): string {
  const last = commits.at(-1);
  const until = last === undefined ? '' : ` For older ones pass until=${dateOf(last.time)}.`;
  return `No more commits can be paged through.${until}`;
}
