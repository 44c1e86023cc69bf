import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { checkedFolderId, isFolderId } from './folder-id.ts';

describe('an id that is used as a folder name', () => {
  it.each(['repo_01J', '-', 'a'.repeat(128)])('accepts %j', (id) => {
    expect(isFolderId(id)).toBe(true);
    expect(checkedFolderId(id)).toBe(id);
  });

  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\0', 'a\n', 'ä', 'a.git', 'a'.repeat(129)])('refuses %j', (id) => {
    expect(isFolderId(id)).toBe(false);
    expect(() => checkedFolderId(id)).toThrow(InvalidInput);
  });
});
