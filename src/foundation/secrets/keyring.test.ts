import { describe, expect, it } from 'vitest';
import { type ConnectionId, newId } from '../kernel/ids.ts';
import { createKeyring, type Keyring } from './keyring.ts';

const salt = Buffer.alloc(32, 7).toString('base64url');
const text = 's3cret-of-the-app';
const place = { connectionId: newId<ConnectionId>(), field: 'clientSecret' };

const ringOf = (...texts: [string, ...string[]]): Keyring => createKeyring(texts, salt);

describe('a keyring', () => {
  const ring = ringOf('a'.repeat(40));

  it('opens a sealed text only at its place', () => {
    expect(ring.open(place, ring.seal(place, text))).toBe(text);
  });

  it('seals the same text differently each time and does not reveal it', () => {
    const envelopes = Array.from({ length: 50 }, () => ring.seal(place, text));
    expect(new Set(envelopes).size).toBe(50);
    for (const envelope of envelopes) {
      expect(envelope).toMatch(/^v1\.[\w-]{11}\.[\w-]{16}\.[\w-]+$/);
      expect(Buffer.from(envelope.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain(text);
    }
  });

  it.each(['', ' ', 'ä€😀', '-----BEGIN KEY-----\nabc\n', 'x'.repeat(64 * 1024)])(
    'gives a text back as it was (%#)',
    (whole) => {
      expect(ring.open(place, ring.seal(place, whole))).toBe(whole);
    },
  );

  it('refuses a text that is too long or not well-formed', () => {
    expect(() => ring.seal(place, 'x'.repeat(64 * 1024 + 1))).toThrow(RangeError);
    expect(() => ring.seal(place, 'a\ud800b')).toThrow(RangeError);
  });

  it('opens with a former key and seals with the current one', () => {
    const envelope = ring.seal(place, text);
    const next = ringOf('b'.repeat(40), 'a'.repeat(40));
    expect(next.open(place, envelope)).toBe(text);
    expect(next.keyId).not.toBe(ring.keyId);
    expect(next.keyIds).toEqual([next.keyId, ring.keyId]);
    expect(next.seal(place, text).split('.')[1]).toBe(next.keyId);
  });

  it('distinguishes a wrong key from a changed text, and names the next step without a value', () => {
    const envelope = ring.seal(place, text);
    const wrong = thrownBy(() => ringOf('b'.repeat(40)).open(place, envelope));
    expect(wrong).toMatchObject({ reason: 'wrong_key', status: 503 });
    expect(wrong.message).toMatch(/client secret .* different key\. .*CONNECTION_SECRETS_ENCRYPTION_KEY/);
    const changed = thrownBy(() => ring.open({ ...place, field: 'webhookSecret' }, envelope));
    expect(changed).toMatchObject({ reason: 'tampered' });
    expect(changed.message).toMatch(/webhook secret is damaged or was moved/);
    for (const error of [wrong, changed]) expect(JSON.stringify([error, error.message])).not.toContain(text);
  });
});

function thrownBy(work: () => unknown): Error & { detail?: unknown } {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
