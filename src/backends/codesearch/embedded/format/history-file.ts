import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { decodeColumns, encodeColumns } from './columns.ts';
import { fileVersion, replaceDurably } from './durable-files.ts';

/**
 * What past commits of a repository's default branch said and touched, newest first. A hint for ranking beside the
 * index: written by `CodeIndex.tidy` after the generation that answers, by rename, and never part of what is an answer. A file that is not
 * there, not whole or of another format is no history.
 */
export interface History {
  /** The newest commit that was looked at. */
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

export const HISTORY_FILE = 'history';
const FORMAT = 2;
/** Bytes: checksum, format, and room for the longest id of a commit. */
const HEAD = 8 + 64;

const textsShape = z.object({
  ids: z.array(z.string()),
  subjects: z.array(z.string()),
  paths: z.array(z.string()),
});

/**
 * Layout: u32 checksum of what follows, u32 format, the newest commit (64 bytes, filled with 0), then columns: time, end of its terms and end of its paths of each
 * commit (u32); terms (u32); numbers of paths (u32); texts (u8, JSON): ids, subjects, distinct paths.
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
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(FORMAT, 4);
  head.write(commit, 8, 'latin1');
  const bytes = Buffer.concat([head, columns]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
  replaceDurably(join(folder, HISTORY_FILE), bytes);
}

/** `undefined` when there is none that can be read. */
export function readHistory(folder: string): History | undefined {
  const bytes = readIfThere(join(folder, HISTORY_FILE));
  const commit = bytes && commitIn(bytes);
  if (commit === undefined || bytes?.readUInt32LE(0) !== crc32(bytes!.subarray(4))) return undefined;
  const columns = decodeColumns(Uint8Array.from(bytes.subarray(HEAD)).buffer);
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

/** The newest commit that the history looked at, by the head of the file alone: the rest may be damaged. */
export function historyCommit(folder: string): string | undefined {
  const head = Buffer.alloc(HEAD);
  try {
    const fd = openSync(join(folder, HISTORY_FILE), 'r');
    try {
      return commitIn(head.subarray(0, readSync(fd, head)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/** `undefined` for the head of another format. */
function commitIn(head: Buffer): string | undefined {
  if (head.length < HEAD || head.readUInt32LE(4) !== FORMAT) return undefined;
  return head.toString('latin1', 8, HEAD).replace(/\0+$/, '');
}

/** What tells one file from the next without reading it; `undefined` when there is none. */
export function historyVersion(folder: string): string | undefined {
  return fileVersion(join(folder, HISTORY_FILE));
}

/** Whatever keeps it from being read, the answer goes on without it. */
function readIfThere(file: string): Buffer | undefined {
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
