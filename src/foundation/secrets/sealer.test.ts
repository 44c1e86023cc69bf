import { describe, expect, it } from 'vitest';
import { createSealer } from './sealer.ts';

const sealer = createSealer('a'.repeat(40), 'orgctx/test/v1');

describe('a sealer', () => {
  it('opens a sealed text only at its place', () => {
    for (const text of ['', 'ä€😀', 'x'.repeat(512 * 1024)]) {
      expect(sealer.open('Client:1', sealer.seal('Client:1', text))).toBe(text);
    }
  });

  it('does not open a text that was moved, changed, or sealed for another purpose or with another secret', () => {
    const envelope = sealer.seal('Client:1', 'plain');
    expect(sealer.open('Client:2', envelope)).toBeUndefined();
    expect(sealer.open('Client:1', `${envelope.slice(0, -4)}AAAA`)).toBeUndefined();
    expect(sealer.open('Client:1', 'plain')).toBeUndefined();
    expect(createSealer('a'.repeat(40), 'orgctx/other/v1').open('Client:1', envelope)).toBeUndefined();
    expect(createSealer('b'.repeat(40), 'orgctx/test/v1').open('Client:1', envelope)).toBeUndefined();
  });

  it('refuses a text that is too long or not well-formed', () => {
    expect(() => sealer.seal('here', 'x'.repeat(512 * 1024 + 1))).toThrow(RangeError);
    expect(() => sealer.seal('here', 'a\ud800b')).toThrow(RangeError);
  });

  it('signs deterministically, and differently for another purpose or secret', () => {
    const mac = sealer.mac('text');
    expect(mac).toMatch(/^[\w-]{43}$/);
    expect(sealer.mac('text')).toBe(mac);
    expect(sealer.mac('texts')).not.toBe(mac);
    expect(createSealer('a'.repeat(40), 'orgctx/other/v1').mac('text')).not.toBe(mac);
    expect(createSealer('b'.repeat(40), 'orgctx/test/v1').mac('text')).not.toBe(mac);
  });
});
