import { type RunningGit, spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathArguments } from '../path-arguments.ts';
import { comparedSize, renameOptions } from './commit-files.ts';

/** A part of the difference of a commit to its first parent. */
export interface DiffPage {
  /** Unified, whole lines, with bytes that are not UTF-8 replaced; a line of more than 1,950 bytes is shortened. */
  readonly text: string;
  /** The lines `diff --git` and `@@` before the page that its first line is below. */
  readonly continues: readonly string[];
  /** Offset of the next page, in bytes of Git's output; undefined after the last one. */
  readonly next?: number;
  /** True if the rest is not shown because of the time or the size of the whole difference. */
  readonly cut: boolean;
}

export interface DiffRequest {
  readonly id: string;
  /** Only these files or folders. Empty: all. */
  readonly paths: readonly string[];
  /** Only hunks that touch these lines of the new version, or of the old one of a removed file. 1-based, inclusive. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined;
  readonly offset: number;
  /** Maximum size of the text, in bytes: at least one line is returned. */
  readonly maxBytes: number;
}

/** Length in bytes to which a line is shortened. */
const maxLine = 1_950;
/** Maximum number of bytes of a difference that are read: each page reads from the start. */
const maxDiffBytes = 64 * 1024 ** 2;

/**
 * Reads a page of the difference of a commit to its first parent, and stops Git after it. Ends after `timeoutMs` with
 * what was read until then.
 * @throws GitError, also if the commit does not exist; the reason of `signal`
 */
export async function readDiffPage(
  gitDir: string,
  { id, paths, lines, offset, maxBytes }: DiffRequest,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<DiffPage> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const shape = ['--format=', '--no-color', '--no-show-signature', '--diff-merges=first-parent', '--patch'];
  const { args: limits, input } = pathArguments(paths);
  const args = ['log', '--no-walk', ...shape, ...renameOptions, fullId(id), ...limits];
  const running = spawnGit(gitDir, [...comparedSize, ...args], AbortSignal.any([signal, timeout]));
  running.child.stdin.end(input);
  const isShown = lines === undefined ? () => true : hunkFilter(lines);
  const shown: string[] = [];
  let [at, size] = [0, 0];
  let continues: readonly string[] = [];
  /** The headers of the file and of the hunk that the next line is in. */
  let open: readonly string[] = [];
  const page = (cut: boolean): DiffPage => ({ continues, text: shown.join('\n'), cut });
  try {
    for await (const { start, length } of outputLines(running)) {
      const line = textOf(start, length);
      const isIncluded = isShown(start.toString('latin1', 0, 200));
      const begin = at;
      at += length + 1;
      if (begin < offset || !isIncluded) {
        if (isIncluded) open = openAfter(open, line);
        continue;
      }
      if (shown.length === 0) continues = openBefore(open, line);
      const bytes = Buffer.byteLength(line) + 1;
      if (size > 0 && size + bytes > maxBytes) return { ...page(false), next: begin };
      shown.push(line);
      size += bytes;
      if (at > maxDiffBytes) return page(true);
    }
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    return page(true);
  }
  return page(false);
}

const isFileHeader = (line: string): boolean => line.startsWith('diff --git ');
/** Lines of a file begin with a space, a sign or a backslash, so that none of them looks like a header. */
const isHunkHeader = (line: string): boolean => line.startsWith('@@ ');

/** Returns the headers that are open after a line. */
function openAfter(open: readonly string[], line: string): readonly string[] {
  return isFileHeader(line) ? [line] : isHunkHeader(line) ? [...open.slice(0, 1), line] : open;
}

/** Returns the headers that a page needs before its first line. */
function openBefore(open: readonly string[], line: string): readonly string[] {
  return isFileHeader(line) ? [] : isHunkHeader(line) ? open.slice(0, 1) : open;
}

function textOf(start: Buffer, length: number): string {
  const text = start.toString('utf8');
  return length > start.length
    ? `${text.replace(/\uFFFD$/u, '')}… (${length - start.length} more bytes)`
    : text;
}

interface OutputLine {
  /** The beginning of the line. */
  readonly start: Buffer;
  /** Length of the whole line, without its end. */
  readonly length: number;
}

/** Yields the lines that a process prints. Stopping early ends the process; its failure is thrown after the last line. */
async function* outputLines({ child, ended }: RunningGit): AsyncGenerator<OutputLine, void> {
  let start: Buffer[] = [];
  let [kept, length] = [0, 0];
  const add = (part: Buffer): void => {
    length += part.length;
    if (part.length === 0 || kept >= maxLine) return;
    const piece = part.subarray(0, maxLine - kept);
    start.push(piece);
    kept += piece.length;
  };
  const take = (): OutputLine => {
    const line = { start: Buffer.concat(start), length };
    start = [];
    [kept, length] = [0, 0];
    return line;
  };
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      let begin = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, begin)) {
        add(chunk.subarray(begin, end));
        yield take();
        begin = end + 1;
      }
      add(chunk.subarray(begin));
    }
    if (length > 0) yield take();
    await ended;
  } finally {
    child.kill();
  }
}

/** Returns a function that returns which lines of a difference belong to the headers of files or to hunks of some lines. */
function hunkFilter(lines: { readonly start: number; readonly end: number }): (line: string) => boolean {
  let isShown = true;
  return (line) => {
    if (line.startsWith('diff --git ')) isShown = true;
    const [, oldStart, oldCount, newStart, newCount] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (oldStart !== undefined) {
      const isRemoved = newStart === '0';
      const first = Number(isRemoved ? oldStart : newStart);
      const count = Number((isRemoved ? oldCount : newCount) ?? 1);
      isShown = first <= lines.end && first + Math.max(1, count) - 1 >= lines.start;
    }
    return isShown;
  };
}
