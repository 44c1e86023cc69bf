import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../kernel/errors.ts';
import { checkRefName } from './ref-name.ts';

const bad = [
  '', '-u', '--upload-pack=touch /tmp/x', 'a b', 'a..b', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[b', 'a\\b', '/a', 'a/',
  'a//b', '.a', 'a/.b', 'a.', 'a.lock', 'a.lock/b', '@', 'a@{1}', 'HEAD', 'a\nb', 'a\0b', 'a\x7f', 'x'.repeat(241),
  'ma\u200bin', 'a\u202eb', 'a\u00adb', 'a\ufffd',
]; // biome-ignore format: a table of short words
const good = ['main', 'release/2.0', 'feature/GH-1_x', 'ünïcode', 'a@b', 'a-', 'refs', 'v1.0.lockx'];

describe('checkRefName', () => {
  it.each(bad)('refuses %j', (name) => {
    expect(() => checkRefName(name)).toThrow(InvalidInput);
  });

  it.each(good)('accepts %s, like git check-ref-format', (name) => {
    expect(checkRefName(name)).toBe(name);
    expect(spawnSync('git', ['check-ref-format', '--branch', name]).status).toBe(0);
  });
});
