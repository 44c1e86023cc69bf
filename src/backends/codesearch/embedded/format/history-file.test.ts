import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { historyCommit, historyFile, readHistory, writeHistory } from './history-file.ts';

const past = { id: 'b'.repeat(40), time: 1, subject: 'Begin', terms: Uint32Array.of(7, 9), paths: ['a.ts'] };

describe('the history file', () => {
  it.each([40, 64])('reads back what was written, with ids of %s digits', (digits) => {
    const folder = temporaryFolder();
    const history = { commit: 'a'.repeat(digits), commits: [past] };
    writeHistory(folder, history);
    expect(readHistory(folder)).toEqual(history);
    expect(historyCommit(folder)).toBe(history.commit);
  });

  it('reads the commit from the header even if the rest is truncated', () => {
    const folder = temporaryFolder();
    writeHistory(folder, { commit: 'a'.repeat(40), commits: [past] });
    const file = join(folder, historyFile);
    writeFileSync(file, readFileSync(file).subarray(0, 72));
    expect(historyCommit(folder)).toBe('a'.repeat(40));
    expect(readHistory(folder)).toBeUndefined();
  });

  it('is ignored if it has another format, is truncated or is missing', () => {
    const folder = temporaryFolder();
    expect([historyCommit(folder), readHistory(folder)]).toEqual([undefined, undefined]);
    writeHistory(folder, { commit: 'a'.repeat(40), commits: [past] });
    const file = join(folder, historyFile);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, 71));
    expect([historyCommit(folder), readHistory(folder)]).toEqual([undefined, undefined]);
    bytes.writeUInt32LE(2, 4);
    writeFileSync(file, bytes);
    expect([historyCommit(folder), readHistory(folder)]).toEqual([undefined, undefined]);
  });
});
