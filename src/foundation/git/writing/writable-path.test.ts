import { describe, expect, it } from 'vitest';
import { writablePathError } from './writable-path.ts';

const roots = ['tracker', 'oncall'];

describe('writablePathError', () => {
  it.each([
    'tracker/config.yaml',
    'tracker/issues/ENG-1.md',
    'oncall/incidents/2026 (x) [y] #1.md',
    'tracker/größe/日本.md',
    'tracker/.hidden',
    'tracker/git/x',
    'tracker/console/auxiliary.md',
    'tracker/gitter~x/com/lpt',
    `tracker/${'x'.repeat(255)}`,
  ])('accepts %j', (path) => {
    expect(writablePathError(path, roots)).toBeUndefined();
  });

  it.each<readonly [path: string, error: string]>([
    ['', 'is not inside'],
    ['tracker', 'is not inside'],
    ['README.md', 'is not inside'],
    ['Tracker/x', 'is not inside'],
    ['/tracker/x', 'is not inside'],
    ['.git/config', 'is not inside'],
    ['tracker/', 'empty name'],
    ['tracker//x', 'empty name'],
    ['tracker/../README.md', '".."'],
    ['tracker/./x', '"."'],
    ['tracker/.git/hooks/post-checkout', 'reserved for Git'],
    ['tracker/.GIT/config', 'reserved for Git'],
    ['tracker/x/.Git', 'reserved for Git'],
    ['tracker/.git /x', 'reserved for Git'],
    ['tracker/.git./x', 'reserved for Git'],
    ['tracker/git~1/x', 'reserved for Git'],
    ['tracker/GITMOD~1', 'reserved for Git'],
    ['tracker/gi7eba~1', 'reserved for Git'],
    ['tracker/.gitattributes', 'reserved for Git'],
    ['tracker/.gitmodules', 'reserved for Git'],
    ['tracker/.g\u200cit/config', 'control or invisible character'],
    ['tracker/.git::$INDEX_ALLOCATION/x', ': "'],
    ['tracker/..\\x', '* \\'],
    ['tracker/x\n', 'control or invisible character'],
    ['tracker/x\0', 'control or invisible character'],
    ['tracker/x\u202egnp.exe', 'control or invisible character'],
    ['tracker/x\u115fy', 'control or invisible character'],
    ['tracker/x\ufe0f', 'control or invisible character'],
    ...['<', '>', '"', '|', '?', '*'].map((mark) => [`tracker/x${mark}y`, 'one of < >'] as const),
    ...['CON', 'aux.md', 'nul .txt', 'Com1.tar.gz', 'lpt\u00b9', 'conin$'].map(
      (name) => [`tracker/${name}/x`, 'a device on Windows'] as const,
    ),
    ['tracker/e\u0301', 'NFC'],
    ['tracker/\ud800', 'NFC'],
    ['tracker/x.', 'ends in a dot'],
    ['tracker/x ', 'ends in a dot or a blank'],
    [`tracker/${'x'.repeat(256)}`, '255 bytes'],
    [`tracker/${'ü'.repeat(128)}`, '255 bytes'],
    [`tracker/${'x/'.repeat(600)}x`, '1024 bytes'],
  ])('refuses %j: %s', (path, error) => {
    expect(writablePathError(path, roots)).toContain(error);
  });
});
