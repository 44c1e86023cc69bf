import type { CommitPage, HistoryCommit, HistoryPage } from '../../../features/history/history-record.ts';
import { namedBeside } from '../../../features/history/named-in-message.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { visibleLine, visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import { lastLines } from './page-notes.ts';

/**
 * Maximum sizes in bytes of the line of a commit, so that 20 commits have at most 7,000 characters and 50 at most 19,000
 * bytes; of a message, of the line of a file and of a notice; and maximum number of files, and of those in a line.
 */
const max = { line: 320, message: 1_200, file: 130, files: 12, named: 3, notice: 400 } as const;

/** Returns a page of commits, one a line. `what` names whose history it is. */
export function historyText({ items, nextCursor, notices }: HistoryPage, what: string): string {
  const count = counted(items.length, 'commit');
  const more = nextCursor === null ? '' : ', more follow';
  const head =
    items.length === 0
      ? `No commit of ${what} fits. Leave out a filter, or search with fewer words.`
      : `${count} of ${what}, newest first${more}. show_commit shows one; limit=N lists fewer or more.`;
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
  const former = renamedFrom === undefined ? '' : ` [renamed from ${renamedFrom}]`;
  const changed = files.total === 0 ? '' : ` | ${filesInWords(files)}`;
  const line = `${repository}@${shortCommit(commit)} ${date.slice(0, 10)} ${author}: ${subject}${about}${former}${changed}`;
  return clip(visibleLine(line), max.line);
}

/** Returns a number of files with the first of them, few because `show_commit` names the others. */
function filesInWords({ total, first }: HistoryCommit['files']): string {
  const named = first.slice(0, max.named).join(', ');
  return `${counted(total, 'file')}: ${named}${total > max.named ? ', …' : ''}`;
}

/** Returns a commit: its message and files on the first page, then the difference. */
export function commitText(commit: CommitPage, isFirst: boolean): string {
  const { repository, date, author, subject, diff, nextCursor, notices } = commit;
  const head = `${repository}@${shortCommit(commit.commit)} ${date} ${author}: ${subject}`;
  return [
    clip(visibleLine(head), max.line),
    ...(isFirst ? aboutLines(commit) : []),
    ...(diff === '' ? [] : [visibleText(diff)]),
    ...noticeLines(notices),
    ...lastLines({ nextCursor }),
  ].join('\n');
}

function aboutLines({
  parents,
  message,
  subject,
  pullRequest,
  issues,
  files,
}: CommitPage): readonly string[] {
  const named = namedBeside({ subject, pullRequest, issues });
  const body = message.slice(message.indexOf(subject) + subject.length).trim();
  const shown = files.items.slice(0, max.files);
  const rest = files.items.length - shown.length;
  return [
    parents.length === 0
      ? 'the first commit'
      : clip(`parent ${parents.map(shortCommit).join(', ')}`, max.line),
    ...(named.length === 0 ? [] : [clip(visibleLine(`names ${named.join(', ')}`), max.line)]),
    ...(body === '' ? [] : [clip(visibleText(body), max.message)]),
    `${counted(files.total, 'path')} changed${rest > 0 ? `, the first ${shown.length} of them` : ''}:`,
    ...shown.map(({ path, renamedFrom, status, added, removed, binary }) => {
      const counts = added === undefined || removed === undefined ? '' : ` +${added} -${removed}`;
      const former = renamedFrom === undefined ? '' : ` from ${renamedFrom}`;
      const line = `${path}: ${status}${former}${binary === true ? ', binary' : counts}`;
      return clip(visibleLine(line), max.file);
    }),
  ];
}

function noticeLines(notices: readonly string[]): readonly string[] {
  return notices.map((notice) => `(${clip(visibleLine(notice), max.notice)})`);
}

/** Cuts a text to a number of bytes, with an ellipsis. */
function clip(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  return `${whole
    .subarray(0, bytes - 3)
    .toString('utf8')
    .replace(/\uFFFD$/u, '')}…`;
}
