import {
  type DiffRequest,
  diffLimits,
  type SourceCommit,
  type SourceDiff,
} from '../../backends/codesearch/port.ts';
import { checkedCommit } from '../../foundation/git/objects/commit-id.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { quoted } from '../../foundation/kernel/text/visible-text.ts';
import { checkRange, invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { type LineRange, printRange } from '../../foundation/kernel/wire/line-range.ts';
import { findSearchable } from '../search/find-repository.ts';
import { fingerprintOf, readCursor, writeCursor } from '../search/search-cursor.ts';
import { sourcePath } from '../search/source-path.ts';
import type { HistoryDeps } from './history-deps.ts';
import { dateOf, subjectOf } from './history-item.ts';
import type { CommitPage } from './history-record.ts';
import { namedInMessage } from './named-in-message.ts';

export interface CommitInput {
  /** Name or id. */
  readonly repository: string;
  /** Complete, or shortened to 7 digits or more. */
  readonly commit: string;
  /** Only this file, by its new or its former path, or this folder. */
  readonly path?: string;
  /** Only hunks that touch these lines of the new version of `path`. */
  readonly lines?: LineRange;
  /** Maximum size of `diff`, in bytes. Default: 24 KB. */
  readonly bytes?: number;
  readonly cursor?: string;
}

/** Sizes of a page of a difference, in bytes. */
export const diffBytes = { min: 500, default: 24 * 1024, max: diffLimits.bytes } as const;
const maxMessage = 16_000;
/** Stands for the end of a file. */
const lastLine = 999_999_999;

/**
 * Returns a commit that a followed branch reaches, with a page of what it changed in its first parent.
 * @throws InvalidInput, also for a shortened id of several commits; NotFound for another commit, and for a path that it
 * did not change
 */
export async function readCommitPage(
  deps: HistoryDeps,
  scope: OrgScope,
  input: CommitInput,
  signal: AbortSignal,
): Promise<CommitPage> {
  const maxBytes = input.bytes ?? diffBytes.default;
  checkRange('bytes', maxBytes, diffBytes.min, diffBytes.max);
  const prefix = checkedCommit(input.commit);
  const path = input.path === undefined ? '' : sourcePath(input.path);
  const { lines } = input;
  const range = rangeOf(lines, path);
  const { id: repository, name } = await findSearchable(deps.queries, scope, input.repository);
  const commit = await onlyCommit(deps, scope, { repository, name, prefix }, signal);
  const fingerprint = fingerprintOf(scope, [repository, commit.id, path, range]);
  const offset = readCursor(input.cursor, fingerprint, diffLimits.offset);
  const request: DiffRequest = {
    repository,
    commit: commit.id,
    ...(path === '' ? {} : { path }),
    ...(lines === undefined ? {} : { lines: { startLine: lines.first, endLine: lines.last ?? lastLine } }),
    offset,
    maxBytes,
  };
  const diff = await deps.sources.readDiff(scope, request, signal);
  // It was reached a moment ago.
  if (diff === undefined) throw noSuchCommit(name, prefix);
  if (path !== '' && offset === 0 && diff.text === '' && !diff.cut) throw notChanged(commit, path);
  const nextCursor = diff.next === undefined ? null : writeCursor(diff.next, fingerprint, diffLimits.offset);
  const isLost = diff.next !== undefined && nextCursor === null;
  return {
    ...describe(commit, name),
    parents: diff.parents,
    files: { total: commit.changed, items: diff.files },
    continues: diff.continues,
    diff: diff.text,
    nextCursor,
    notices: noticesOf(commit, { ...diff, cut: diff.cut || isLost }, { path, range }),
  };
}

function describe(
  { id, time, author, committer, message }: SourceCommit,
  repository: string,
): Omit<CommitPage, 'parents' | 'files' | 'continues' | 'diff' | 'nextCursor' | 'notices'> {
  return {
    commit: id,
    repository,
    date: dateOf(time),
    author: author.name,
    committer: committer.name,
    subject: subjectOf(message),
    message: message.slice(0, maxMessage).toWellFormed().trimEnd(),
    ...namedInMessage(id, message),
  };
}

/** Prints the lines that are asked for, none as an empty text. @throws InvalidInput for lines without a path */
function rangeOf(lines: LineRange | undefined, path: string): string {
  if (lines === undefined) return '';
  if (path === '') throw invalidField('lines', 'need the `path` of the file that they are of');
  return printRange(lines);
}

async function onlyCommit(
  { sources }: HistoryDeps,
  scope: OrgScope,
  { repository, name, prefix }: { repository: RepositoryId; name: string; prefix: string },
  signal: AbortSignal,
): Promise<SourceCommit> {
  const [first, ...others] = await sources.findCommits(scope, { repository, commit: prefix }, signal);
  if (first === undefined) throw noSuchCommit(name, prefix);
  if (others.length === 0) return first;
  const ids = [first, ...others].map(({ id }) => id).join(', ');
  throw invalidField('commit', `is the start of the ids of several commits; pass more digits: ${ids}`);
}

function noSuchCommit(name: string, prefix: string): NotFound {
  return new NotFound(
    `No followed branch of \`${name}\` has a commit ${prefix}. A force push may have removed it, or it is too new: ask for the history of the repository, or sync it.`,
  );
}

/** Maximum number of paths that an error names. */
const maxNamed = 5;
const maxNamedLength = 100;

function notChanged({ id, paths, changed }: SourceCommit, path: string): NotFound {
  const named = paths.slice(0, maxNamed).map((one) => quoted(one, maxNamedLength));
  const rest = changed > named.length ? ` and ${changed - named.length} more` : '';
  const files = changed === 0 ? 'no file' : `${named.join(', ')}${rest}`;
  return new NotFound(
    `Commit ${shortCommit(id)} did not change ${quoted(path, maxNamedLength)}; it changed ${files}.`,
  );
}

function noticesOf(
  { message }: SourceCommit,
  { parents, files, text, next, cut }: SourceDiff,
  { path, range }: { readonly path: string; readonly range: string },
): readonly string[] {
  const isUncounted = files.some(({ added, binary }) => added === undefined && binary === undefined);
  return [
    ...(parents.length > 1
      ? [`A merge of ${parents.length} parents: the difference is to the first one.`]
      : []),
    ...(message.length > maxMessage
      ? [`Only the first ${maxMessage} characters of the message are shown.`]
      : []),
    ...(isUncounted ? ['There was no time to count the lines of all files.'] : []),
    ...(cut ? ['The difference is too large to show it whole; pass the path of a file or folder.'] : []),
    ...(range !== '' && !cut && next === undefined && !text.includes('\n@@')
      ? [
          `No change touches lines ${range} of ${quoted(path, maxNamedLength)}; leave \`lines\` out to see all of its changes.`,
        ]
      : []),
  ];
}
