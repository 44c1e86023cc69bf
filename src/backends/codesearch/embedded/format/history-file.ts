import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { decodeColumns, encodeColumns } from './columns.ts';
import { fileVersion, replaceDurably } from './durable-files.ts';

/**
 * Messages and paths of past commits of the default branch, newest first. It is only a hint for ranking and not part
 * of the index: `CodeIndex.compact` writes it, by rename, after the generation that serves results. A file that is
 * missing, incomplete or of another format counts as no history.
 */
export interface History {
  /** The newest commit that was read. */
  readonly commit: string;
  readonly commits: readonly PastCommit[];
}

export interface PastCommit {
  readonly id: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly subject: string;
  /** Hashes of the distinct words of its message. */
  readonly terms: Uint32Array;
  readonly paths: readonly string[];
}

export const historyFile = 'history';
const format = 1;
/** Size of the header in bytes: checksum, format, and the longest commit id. */
const headBytes = 8 + 64;

const textsShape = z.object({
  ids: z.array(z.string()),
  subjects: z.array(z.string()),
  paths: z.array(z.string()),
});

/**
 * Writes the history.
 *
 * Layout: u32 checksum of the rest, u32 format, the newest commit (64 bytes, padded with 0), then columns: time, end
 * of its terms and end of its paths of each commit (u32); terms (u32); numbers of paths (u32); texts (u8, JSON): ids,
 * subjects, distinct paths.
 */
export function writeHistory(folder: string, { commit, commits }: History): void {
  const numbers = new Map<string, number>();
  for (const { paths } of commits) {
    for (const path of paths) if (!numbers.has(path)) numbers.set(path, numbers.size);
  }
  const ids = commits.map(({ id }) => id);
  const subjects = commits.map(({ subject }) => subject);
  const columns = encodeColumns([
    Uint32Array.from(commits, ({ time }) => time),
    endsOf(commits.map(({ terms }) => terms.length)),
    endsOf(commits.map(({ paths }) => paths.length)),
    Uint32Array.from(commits.flatMap(({ terms }) => [...terms])),
    Uint32Array.from(commits.flatMap(({ paths }) => paths.map((path) => numbers.get(path)!))),
    Buffer.from(JSON.stringify({ ids, subjects, paths: [...numbers.keys()] })),
  ]);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(format, 4);
  head.write(commit, 8, 'latin1');
  const bytes = Buffer.concat([head, columns]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  replaceDurably(join(folder, historyFile), bytes);
}

/** Reads the history; `undefined` if it is missing or unreadable. */
export function readHistory(folder: string): History | undefined {
  const bytes = readIfPresent(join(folder, historyFile));
  const commit = bytes && commitOfHeader(bytes);
  if (commit === undefined || bytes?.readUInt32LE(0) !== crc32(bytes!.subarray(4))) return undefined;
  const columns = decodeColumns(Uint8Array.from(bytes.subarray(headBytes)).buffer);
  const [times, endsOfTerms, endsOfPaths] = [columns.u32(0), columns.u32(1), columns.u32(2)];
  const [terms, touched] = [columns.u32(3), columns.u32(4)];
  const texts = textsShape.parse(JSON.parse(Buffer.from(columns.u8(5)).toString('utf8')));
  const commits = texts.ids.map((id, index) => ({
    id,
    time: times[index]!,
    subject: texts.subjects[index]!,
    terms: terms.subarray(endsOfTerms[index - 1] ?? 0, endsOfTerms[index]),
    paths: Array.from(
      touched.subarray(endsOfPaths[index - 1] ?? 0, endsOfPaths[index]),
      (number) => texts.paths[number]!,
    ),
  }));
  return { commit, commits };
}

/** Returns the newest commit of the history. Reads only the header; the rest may be damaged. */
export function historyCommit(folder: string): string | undefined {
  const head = Buffer.alloc(headBytes);
  try {
    const fd = openSync(join(folder, historyFile), 'r');
    try {
      return commitOfHeader(head.subarray(0, readSync(fd, head)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** Returns the commit in a header; `undefined` for another format. */
function commitOfHeader(head: Buffer): string | undefined {
  if (head.length < headBytes || head.readUInt32LE(4) !== format) return undefined;
  return withoutEnd(head.toString('latin1', 8, headBytes), '\0');
}

/** Returns a value that changes when the file is replaced, without reading it; `undefined` if it does not exist. */
export function historyVersion(folder: string): string | undefined {
  return fileVersion(join(folder, historyFile));
}

/** Reads the file. Ignores all errors, because results do not depend on it. */
function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function endsOf(lengths: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(lengths, (length) => (end += length));
}
