import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { receiveUpload } from './receive-upload.ts';

const patient = new AbortController().signal;
const from = (...pieces: string[]): Readable =>
  Readable.from(
    pieces.map((piece) => Buffer.from(piece)),
    { objectMode: false },
  );
const depsOf = (more = {}) => ({ folder: temporaryFolder(), maxBytes: 100, stallMs: 5_000, ...more });

describe('an upload', () => {
  it.each([[['{"a":1}\nrest', ' of it']], [['{"a', '":1}', '\n', 'rest', ' of it']]])(
    'is split into a first line and a file, regardless of chunk boundaries',
    async (pieces) => {
      const deps = depsOf();
      const upload = await receiveUpload(from(...pieces), deps, patient);
      expect(upload.head).toBe('{"a":1}');
      expect(readFileSync(upload.file ?? '', 'utf8')).toBe('rest of it');
      await upload[Symbol.asyncDispose]();
      expect(readdirSync(deps.folder)).toEqual([]);
    },
  );

  it('may consist of a first line only', async () => {
    for (const pieces of [['{}\n'], ['{}']]) {
      const deps = depsOf();
      expect(await receiveUpload(from(...pieces), deps, patient)).toMatchObject({
        head: '{}',
        file: undefined,
      });
      expect(readdirSync(deps.folder)).toEqual([]);
    }
  });

  it('leaves no file if it is too large, stalls or is truncated', async () => {
    const large = depsOf();
    await expect(receiveUpload(from('{}\n', 'x'.repeat(101)), large, patient)).rejects.toMatchObject({
      status: 413,
    });
    const still = depsOf({ stallMs: 50 });
    const standing = new PassThrough();
    standing.write('{}\nbegun');
    await expect(receiveUpload(standing, still, patient)).rejects.toMatchObject({ code: 'upload_stalled' });
    const cut = depsOf();
    const leaving = new AbortController();
    const body = new PassThrough();
    body.write('{}\nbegun');
    const receiving = receiveUpload(body, cut, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(receiving).rejects.toThrow('gone');
    for (const { folder } of [large, still, cut]) expect(readdirSync(folder)).toEqual([]);
  });
});
