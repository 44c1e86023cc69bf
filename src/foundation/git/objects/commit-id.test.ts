import { describe, expect, it } from 'vitest';
import { isCommitPrefix, isObjectId } from './commit-id.ts';

describe('a commit id', () => {
  it.each(['a'.repeat(40), '0'.repeat(64)])('is complete with 40 or 64 digits: %s', (id) => {
    expect(isObjectId(id)).toBe(true);
    expect(isCommitPrefix(id)).toBe(true);
  });

  it('may be shortened to 7 digits by a caller, but not for Git', () => {
    expect(isCommitPrefix('abc1234')).toBe(true);
    expect(isObjectId('abc1234')).toBe(false);
    expect(isObjectId('a'.repeat(50))).toBe(false);
  });

  it.each(['abc123', 'main', 'HEAD', 'ABC1234', 'abc1234\n', '--help', 'a'.repeat(65), ''])(
    'is not %j',
    (text) => {
      expect(isCommitPrefix(text)).toBe(false);
      expect(isObjectId(text)).toBe(false);
    },
  );
});
