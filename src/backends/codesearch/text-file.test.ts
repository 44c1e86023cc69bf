import { describe, expect, it } from 'vitest';
import { isLfsPointer, textOf } from './text-file.ts';

const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('the text of a file', () => {
  it.each<[string, Buffer, string | undefined]>([
    ['UTF-8', Buffer.from('é\n'), 'é\n'],
    ['UTF-8 with a mark', Buffer.from('\ufeffé\n'), 'é\n'],
    ['UTF-16 LE', wide('\ufeffé 👍\r\n'), 'é 👍\r\n'],
    ['UTF-16 BE', wide('\ufeffé 👍\r\n').swap16(), 'é 👍\r\n'],
    ['only a mark of UTF-16', wide('\ufeff'), ''],
    ['UTF-16 that was cut', wide('\ufeffab').subarray(0, 5), 'a\ufffd'],
    ['UTF-16 without a mark', wide('ab'), undefined],
    ['UTF-32 LE', Buffer.from('fffe000061000000', 'hex'), undefined],
    ['UTF-16 with a NUL', wide('\ufeffa\0b'), undefined],
    ['a NUL after 8 KiB', Buffer.from(`${'x'.repeat(8192)}\0`), `${'x'.repeat(8192)}\0`],
    ['a NUL before it', Buffer.from(`${'x'.repeat(8191)}\0`), undefined],
    ['other bytes that start like a mark, with a NUL', Buffer.from('fffe00d80000', 'hex'), undefined],
    ['nothing', Buffer.alloc(0), ''],
  ])('%s', (_, bytes, text) => {
    expect(textOf(bytes)?.toString()).toBe(text);
  });

  it('does not change the bytes that it reads', () => {
    const bytes = wide('\ufeffab').swap16();
    const before = Buffer.from(bytes);
    textOf(bytes);
    expect(bytes).toEqual(before);
  });
});

describe('a pointer of Git LFS', () => {
  const pointer = (size = 12) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize ${size}\n`;
  it.each([
    ['a pointer', pointer(), true],
    ['one with an extension', pointer().replace('oid', 'ext-0-foo sha256:00\noid'), true],
    ['one with line ends of Windows', pointer().replaceAll('\n', '\r\n'), true],
    ['one of the first versions', pointer().replace('git-lfs', 'hawser'), true],
    ['a text about pointers', `# LFS\n${pointer()}`, false],
    ['a text that only starts like one', 'version https://git-lfs.github.com/spec/v1\n', false],
    ['a longer text', pointer() + 'x'.repeat(1024), false],
    ['nothing', '', false],
  ])('%s', (_, text, expected) => {
    expect(isLfsPointer(Buffer.from(text))).toBe(expected);
  });
});
