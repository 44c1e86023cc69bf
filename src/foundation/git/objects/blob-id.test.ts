import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { blobId } from './blob-id.ts';

it.each([
  ['sha1', 40],
  ['sha256', 64],
])('returns the id that Git gives to a file in a %s repository', (format, length) => {
  const folder = temporaryFolder();
  execFileSync('git', ['init', '--quiet', `--object-format=${format}`, folder]);
  for (const text of ['', 'a\n', 'ü'.repeat(1_000)]) {
    const id = execFileSync('git', ['-C', folder, 'hash-object', '--stdin'], {
      input: text,
      encoding: 'utf8',
    });
    expect(blobId(Buffer.from(text), length)).toBe(id.trim());
  }
});
