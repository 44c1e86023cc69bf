import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { HISTORY_FILE, historyCommit, readHistory, writeHistory } from './history-file.ts';

const past = { id: 'b'.repeat(40), time: 1, subject: 'Begin', terms: Uint32Array.of(7, 9), paths: ['a.ts'] };

describe('the history of a repository', () => {
  it.each([40, 64])('is read as it was written, with ids of %s digits', (digits) => {
    const folder = temporaryFolder();
    const history = { commit: 'a'.repeat(digits), commits: [past] };
    writeHistory(folder, history);
    expect(readHistory(folder)).toEqual(history);
    expect(historyCommit(folder)).toBe(history.commit);
  });

  it('tells its commit by its first bytes, whatever the rest is like', () => {
    const folder = temporaryFolder();
    writeHistory(folder, { commit: 'a'.repeat(40), commits: [past] });
    const file = join(folder, HISTORY_FILE);
    writeFileSync(file, readFileSync(file).subarray(0, 72));
    expect(historyCommit(folder)).toBe('a'.repeat(40));
    expect(readHistory(folder)).toBeUndefined();
  });

  it('is none in another format, cut short, or not there', () => {
    const folder = temporaryFolder();
    expect([historyCommit(folder), readHistory(folder)]).toEqual([undefined, undefined]);
    writeHistory(folder, { commit: 'a'.repeat(40), commits: [past] });
    const file = join(folder, HISTORY_FILE);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, 71));
    expect([historyCommit(folder), readHistory(folder)]).toEqual([undefined, undefined]);
    bytes.writeUInt32LE(1, 4);
    writeFileSync(file, bytes);
    expect([historyCommit(folder), readHistory(folder)]).toEqual([undefined, undefined]);
  });
});
