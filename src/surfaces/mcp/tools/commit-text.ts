import type { CommitPage, HistoryCommit, HistoryPage } from '../../../features/history/history-record.ts';
import { namedBeside } from '../../../features/history/named-in-message.ts';
import { printAddress, printCommit } from '../../../features/search/address.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import {
  quoted,
  shorten,
  visibleLine,
  visibleSource,
  visibleText,
} from '../../../foundation/kernel/text/visible-text.ts';
import { lastLines } from './page-notes.ts';
import { clip } from './tool.ts';

/**
 * Maximum sizes in bytes of the line of a commit, so that 20 commits have at most 7,000 characters and 50 at most
 * 19,000 bytes; of a message, of the line of a file, of all of them and of a notice; maximum number of files, and of
 * those in a line; and maximum length of the name of an author and of a path in a line.
 */
const max = {
  line: 320,
  message: 1_200,
  file: 500,
  fileLines: 1_500,
  files: 12,
  named: 3,
  notice: 400,
  author: 60,
  path: 100,
} as const;

/** Returns a page of commits, one a line. `what` names whose history it is. */
export function historyText({ items, nextCursor, notices }: HistoryPage, what: string): string {
  const count = counted(items.length, 'commit');
  const more = nextCursor === null ? '' : ', more follow';
  const head =
    items.length === 0
      ? `No commit of ${what} fits. Leave out a filter, or search with fewer words.`
      : `${count} of ${what}, newest first, days in UTC by the committer${more}.`;
  return [
    clip(visibleLine(head), max.notice),
    ...items.map(commitLine),
    ...noticeLines(notices),
    ...lastLines({ nextCursor }),
  ].join('\n');
}

function commitLine({
  commit,
  repository,
  date,
  author,
  subject,
  pullRequest,
  issues,
  files,
  renamedFrom,
}: HistoryCommit): string {
  const named = namedBeside({ subject, pullRequest, issues });
  const about = named.length === 0 ? '' : ` (${named.join(', ')})`;
  const former = renamedFrom === undefined ? '' : ` [renamed from ${quoted(renamedFrom, max.path)}]`;
  const changed = files.total === 0 ? '' : ` | ${filesInWords(files)}`;
  const line = `${printCommit(repository, commit)} ${date.slice(0, 10)} ${authorOf(author)}: ${subject}${about}${former}${changed}`;
  return clip(visibleLine(line), max.line);
}

function authorOf(name: string): string {
  return shorten(visibleLine(name), max.author);
}

/** Returns a number of files with the first of them, few because `show_commit` names the others. */
function filesInWords({ total, first }: HistoryCommit['files']): string {
  const named = first
    .slice(0, max.named)
    .map((path) => quoted(path, max.path))
    .join(', ');
  return `${counted(total, 'file')}: ${named}${total > max.named ? ', …' : ''}`;
}

interface ShownPage {
  readonly isFirst: boolean;
  /** The path that was asked for. */
  readonly path?: string | undefined;
}

/** Returns a commit: its message and files on the first page, then the difference. */
export function commitText(commit: CommitPage, { isFirst, path }: ShownPage): string {
  const { repository, date, author, subject, continues, diff, nextCursor, notices } = commit;
  const head = `${printCommit(repository, commit.commit)} ${date} ${authorOf(author)}: ${subject}`;
  return [
    clip(visibleLine(head), max.line),
    ...(isFirst
      ? aboutLines(commit, path !== undefined)
      : continues.map((line) => clip(visibleLine(line), max.line))),
    ...(diff === '' ? [] : [visibleSource(diff)]),
    ...noticeLines(notices),
    ...lastLines({ nextCursor }),
  ].join('\n');
}

function aboutLines(commit: CommitPage, isOfPath: boolean): readonly string[] {
  const { parents, message, subject, pullRequest, issues, files } = commit;
  const named = namedBeside({ subject, pullRequest, issues });
  const body = message.slice(message.indexOf(subject) + subject.length).trim();
  const lines = files.items.slice(0, max.files).map((file) => fileLine(commit, file));
  const shown = fittingLines(lines, max.fileLines);
  const paths = files.items.reduce((sum, { renamedFrom }) => sum + (renamedFrom === undefined ? 1 : 2), 0);
  const changed = isOfPath
    ? `${paths} of ${counted(files.total, 'changed path')}`
    : `${counted(files.total, 'path')} changed`;
  return [
    parents.length === 0
      ? 'the first commit'
      : clip(`parent ${parents.map(shortCommit).join(', ')}`, max.line),
    ...(named.length === 0 ? [] : [clip(visibleLine(`names ${named.join(', ')}`), max.line)]),
    // As Git does, so that no line of the message looks like one of the answer.
    ...(body === '' ? [] : [clip(visibleText(body).replaceAll(/^/gm, '    '), max.message)]),
    `${changed}${shown.length < files.items.length ? `, the first ${shown.length} of them` : ''}:`,
    ...shown,
  ];
}

/** Returns a file with its address at the commit; a removed one, and a former path, at the parent. */
function fileLine(
  { repository, commit, parents }: CommitPage,
  { path, renamedFrom, status, added, removed, binary }: CommitPage['files']['items'][number],
): string {
  const [before = commit] = parents;
  const addressOf = (name: string, at: string) =>
    printAddress({ repository, path: name, commit: shortCommit(at) });
  const counts = added === undefined || removed === undefined ? '' : ` +${added} -${removed}`;
  const former = renamedFrom === undefined ? '' : ` from ${addressOf(renamedFrom, before)}`;
  const address = addressOf(path, status === 'removed' ? before : commit);
  return clip(`${address}: ${status}${former}${binary === true ? ', binary' : counts}`, max.file);
}

function noticeLines(notices: readonly string[]): readonly string[] {
  return notices.map((notice) => `(${clip(visibleLine(notice), max.notice)})`);
}
