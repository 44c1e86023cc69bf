import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { announceChange, lastAnnouncement } from './repository-folder.ts';

describe('an announcement', () => {
  it('is different each time and readable by the owner only', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'org'));
    expect(lastAnnouncement(root, 'org')).toBe('');
    announceChange(root, 'org');
    const first = lastAnnouncement(root, 'org');
    announceChange(root, 'org');
    expect(new Set(['', first, lastAnnouncement(root, 'org')]).size).toBe(3);
    expect(statSync(join(root, 'org', 'news')).mode & 0o777).toBe(0o600);
  });
});
