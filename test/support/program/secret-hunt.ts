import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The secrets that must not be found, values by name. */
export type HuntedSecrets = Readonly<Record<string, string>>;

/** Stored or printed data; `name` identifies it in a finding. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Returns `<secret> as <form> in <place>` for every secret that occurs in a place. */
export function hunt(places: readonly Place[], secrets: HuntedSecrets): readonly string[] {
  const wanted = Object.entries(secrets).flatMap(([name, value]) =>
    Object.entries(formsOf(value)).map(([form, bytes]) => ({ what: `${name} as ${form}`, bytes })),
  );
  return places.flatMap((place) =>
    wanted.flatMap(({ what, bytes }) => (place.bytes.includes(bytes) ? [`${what} in ${place.name}`] : [])),
  );
}

/** Returns the encodings in which a value may be written by accident. */
function formsOf(value: string): Readonly<Record<string, string>> {
  const hex = Buffer.from(value).toString('hex');
  return {
    'plain text': value,
    'JSON text': JSON.stringify(value).slice(1, -1),
    hex,
    'upper-case hex': hex.toUpperCase(),
    'URL text': encodeURIComponent(value),
    'form text': new URLSearchParams({ '': value }).toString().slice(1),
    ...base64Forms(value),
  };
}

/**
 * Returns the stable middle part of the base64 form for each alignment of the value inside a longer one (`user:value`).
 */
function base64Forms(value: string): Readonly<Record<string, string>> {
  const shifts = [0, 1, 2].map((shift) => {
    const text = Buffer.from(`${'x'.repeat(shift)}${value}`).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return Object.fromEntries(
    shifts.flatMap((text, shift) => [
      [`base64 (${shift})`, text],
      [`base64url (${shift})`, text.replaceAll('+', '-').replaceAll('/', '_')],
    ]),
  );
}

/** Returns every file below a folder, and the uncompressed objects of its Git repositories. */
export async function placesIn(folder: string): Promise<readonly Place[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const places: Place[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) places.push({ name: path, bytes: await contentOf(path) });
    else if (existsSync(join(path, 'objects')) && existsSync(join(path, 'HEAD')))
      places.push({ name: `objects of ${path}`, bytes: await objectsOf(path) });
  }
  return places;
}

/**
 * Reads a SQLite file in another process: if this process has the file open, closing a second descriptor would drop its
 * locks (POSIX), and the next process to close the database would delete the write-ahead log.
 */
async function contentOf(path: string): Promise<Buffer> {
  if (!/\.db(-wal|-shm)?$/.test(path)) return readFile(path);
  return (await promisify(execFile)('cat', [path], { encoding: 'buffer', maxBuffer: 1024 ** 3 })).stdout;
}

async function objectsOf(gitDir: string): Promise<Buffer> {
  const args = ['--git-dir', gitDir, 'cat-file', '--batch-all-objects', '--batch'];
  const env = { ...process.env, GIT_NO_LAZY_FETCH: '1' };
  const options = { encoding: 'buffer', maxBuffer: 1024 ** 3, env } as const;
  return (await promisify(execFile)('git', args, options)).stdout;
}

export interface CommandLines {
  /** Returns whether a command line that was seen contains the text. */
  hasSeen(text: string): boolean;
  /** Stops watching and returns every distinct command line that was seen. */
  stop(): Promise<Place>;
}

/** Polls the command lines of the processes of this host, which every user can read, without those of other tests. */
export function watchCommandLines(): CommandLines {
  const seen = new Set<string>();
  const ending = new AbortController();
  const watching = (async () => {
    while (!ending.signal.aborted) {
      for (const pid of readdirSync('/proc')) if (/^\d+$/.test(pid)) seen.add(commandLine(pid));
      await sleep(5);
    }
  })();
  return {
    hasSeen: (text) => [...seen].some((line) => line.includes(text)),
    stop: async () => {
      ending.abort();
      await watching;
      return { name: 'the process list', bytes: Buffer.from([...seen].join('\n')) };
    },
  };
}

/** Programs of other tests get the address of the database of all tests as an argument. */
const programOfTests = '/test/support/';

/** Returns an empty text if the process has already ended, or is a program of another test. */
function commandLine(pid: string): string {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return line.includes(programOfTests) ? '' : line;
  } catch {
    return '';
  }
}
