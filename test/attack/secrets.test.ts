import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemClock as clock } from '../../src/foundation/kernel/clock.ts';
import type { ConnectionId } from '../../src/foundation/kernel/ids.ts';
import { deriveKey } from '../../src/foundation/secrets/derive-key.ts';
import { createKeyring } from '../../src/foundation/secrets/keyring.ts';
import { openKeyring } from '../../src/foundation/secrets/open-keyring.ts';
import { readSecret, saveSecret } from '../../src/foundation/secrets/secret-store.ts';
import { SecretUnreadable } from '../../src/foundation/secrets/secret-unreadable.ts';
import { describeEachDatabase } from '../support/database/databases.ts';

const salt = randomBytes(32).toString('base64url');
const [textA, textB] = ['a'.repeat(40), 'b'.repeat(40)] as const;
const ring = createKeyring([textA, textB], salt);
const placeOf = (connectionId: string, field: string) => ({
  connectionId: connectionId as ConnectionId,
  field,
});
const place = placeOf('one', 'clientSecret');
const plain = 'the secret of an app';
const envelope = ring.seal(place, plain);
const parts = envelope.split('.') as [string, string, string, string];

const reasonOf = (text: string, at = place, keyring = ring): string => {
  try {
    return `opened: ${keyring.open(at, text)}`;
  } catch (error) {
    if (error instanceof SecretUnreadable) return error.reason;
    throw error;
  }
};

const flipped = (text: string, bit: number): string => {
  const bytes = Buffer.from(text, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return bytes.toString('base64url');
};

describe('an envelope', () => {
  it.each([
    placeOf('two', 'clientSecret'),
    placeOf('one', 'webhookSecret'),
    placeOf('', 'clientSecret'),
    placeOf('oneclientSecret', ''),
    placeOf('ONE', 'clientSecret'),
  ])('cannot be decrypted at %j', (elsewhere) => {
    expect(reasonOf(envelope, elsewhere)).toBe('tampered');
  });

  it('is bound to a place with only one spelling', () => {
    expect(() => ring.seal(placeOf('one\0clientSecret', ''), plain)).toThrow(RangeError);
    expect(() => ring.seal(placeOf('one', 'a\0v1'), plain)).toThrow(RangeError);
  });

  it('cannot be decrypted with any bit of it flipped', () => {
    for (const index of [2, 3] as const) {
      const bits = Buffer.from(parts[index], 'base64url').length * 8;
      for (let bit = 0; bit < bits; bit += 1) {
        const changed = parts.with(index, flipped(parts[index], bit)).join('.');
        expect([index, bit, reasonOf(changed)]).toEqual([index, bit, 'tampered']);
      }
    }
  });

  it('cannot be decrypted with any character of it changed, added or removed', () => {
    for (let at = 0; at < envelope.length; at += 1) {
      for (const other of ['', 'A', 'B', '.', '=', '+', ' ', 'é', `${envelope[at]}A`]) {
        const changed = envelope.slice(0, at) + other + envelope.slice(at + 1);
        if (changed !== envelope)
          expect([changed, reasonOf(changed)]).toEqual([changed, expect.not.stringMatching(/^opened/)]);
      }
    }
  });

  it.each([4, 8, 12, 13, 14, 15])(
    'cannot be decrypted with a tag truncated to %i bytes, which Node accepts by default',
    (length) => {
      const sealed = Buffer.from(parts[3], 'base64url');
      const cut = sealed.subarray(0, sealed.length - 16 + length);
      expect(reasonOf([...parts.slice(0, 3), cut.toString('base64url')].join('.'))).toBe('tampered');
      // The same key, place and truncated tag, decrypted without a check of the tag length.
      const careless = createDecipheriv(
        'aes-256-gcm',
        deriveKey(textA, salt).bytes,
        Buffer.from(parts[2], 'base64url'),
        {
          authTagLength: length,
        },
      );
      careless.setAAD(Buffer.from(`connection\0${place.connectionId}\0${place.field}\0v1`));
      careless.setAuthTag(cut.subarray(cut.length - length));
      expect(Buffer.concat([careless.update(sealed.subarray(0, -16)), careless.final()]).toString()).toBe(
        plain,
      );
    },
  );

  it('cannot be decrypted with a tag of 4 bytes that was created with the key itself', () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', deriveKey(textA, salt).bytes, iv, { authTagLength: 4 });
    cipher.setAAD(Buffer.from(`connection\0${place.connectionId}\0${place.field}\0v1`));
    const sealed = Buffer.concat([cipher.update('x'.repeat(40)), cipher.final(), cipher.getAuthTag()]);
    expect(
      reasonOf(['v1', ring.keyId, iv.toString('base64url'), sealed.toString('base64url')].join('.')),
    ).toBe('tampered');
  });

  it('cannot be decrypted under the name of another key, known or not', () => {
    const [, other = ''] = ring.keyIds;
    expect(reasonOf(parts.with(1, other).join('.'))).toBe('tampered');
    expect(reasonOf(parts.with(1, 'AAAAAAAAAAA').join('.'))).toBe('wrong_key');
    expect(reasonOf(parts.with(1, '__proto__').join('.'))).toBe('wrong_key');
  });

  it.each([
    '',
    '.',
    '...',
    'v1',
    plain,
    parts.with(0, 'v2').join('.'),
    parts.with(0, 'V1').join('.'),
    parts.with(0, '').join('.'),
    `${envelope}.`,
    `${envelope}.extra`,
    `${envelope}\n`,
    parts.with(2, '').join('.'),
    parts.with(2, parts[2].slice(0, 12)).join('.'),
    parts.with(3, '').join('.'),
    parts.with(3, 'A'.repeat(20)).join('.'),
    `v1.x.y.${'A'.repeat(1_000_000)}`,
  ])('is not a text like this (%#)', (text) => {
    expect(reasonOf(text)).toBe('tampered');
  });

  it('of excessive length is not even decoded', () => {
    const text = [...parts.slice(0, 3), 'A'.repeat(50_000_000)].join('.');
    const fastestMs = (work: () => unknown): number => {
      const times = Array.from({ length: 5 }, () => {
        const begin = performance.now();
        work();
        return performance.now() - begin;
      });
      return Math.min(...times);
    };
    const decoding = fastestMs(() => Buffer.from(text.slice(100), 'base64url'));
    expect(fastestMs(() => expect(reasonOf(text)).toBe('tampered'))).toBeLessThan(decoding / 2);
  });

  it('discloses neither the length of a text nor the key in its error', () => {
    const wrong = createKeyring([textB], salt);
    const seen = (() => {
      try {
        return wrong.open(place, envelope);
      } catch (error) {
        return error as SecretUnreadable;
      }
    })();
    expect(JSON.stringify([seen, (seen as Error).message, (seen as Error).stack])).not.toMatch(
      new RegExp(`${plain}|a{40}|b{40}|${parts[3]}`),
    );
  });
});

describe('derived keys', () => {
  it('differ by salt, so that one AUTH_SECRET in two deployments gives two keys', () => {
    const others = [salt, randomBytes(32).toString('base64url')].map((one) => createKeyring([textA], one));
    expect(new Set(others.map(({ keyId }) => keyId)).size).toBe(2);
    expect(reasonOf(envelope, place, others[1])).toBe('wrong_key');
  });

  it('differ from the setting and are not disclosed by their id', () => {
    const { id, bytes } = deriveKey(textA, salt);
    expect(bytes).toHaveLength(32);
    expect(bytes.toString()).not.toContain('aaaa');
    expect(bytes.toString('base64url')).not.toContain(id);
  });
});

describeEachDatabase('saved secrets', (open) => {
  const keys = { connectionKey: undefined, authSecret: textA, formerConnectionKeys: [] };

  it('cannot be decrypted in the row of another connection or field, nor in another deployment', async () => {
    const [mine, theirs] = [await open(), await open()];
    const keyring = await openKeyring(mine, keys, clock);
    await saveSecret(mine.queries, keyring, place, plain, 1);
    const row = await mine.queries.selectFrom('connection_secrets').selectAll().executeTakeFirstOrThrow();
    const moved = { ...row, connection_id: 'two' };
    await mine.queries
      .insertInto('connection_secrets')
      .values([moved, { ...row, field: 'webhookSecret' }])
      .execute();
    for (const at of [placeOf('two', place.field), placeOf('one', 'webhookSecret')]) {
      await expect(readSecret(mine.queries, keyring, at)).rejects.toMatchObject({ reason: 'tampered' });
    }
    await theirs.queries.insertInto('connection_secrets').values(row).execute();
    const other = createKeyring([textA], randomBytes(32).toString('base64url'));
    await expect(readSecret(theirs.queries, other, place)).rejects.toMatchObject({ reason: 'wrong_key' });
    expect(await readSecret(mine.queries, keyring, place)).toBe(plain);
  });

  it('are not disclosed by any stored data', async () => {
    const database = await open();
    const keyring = await openKeyring(database, keys, clock);
    for (const field of ['clientSecret', 'webhookSecret']) {
      await saveSecret(database.queries, keyring, { ...place, field }, plain, 1);
    }
    const stored = [
      ...(await database.queries.selectFrom('connection_secrets').selectAll().execute()),
      ...(await database.queries.selectFrom('secret_keys').selectAll().execute()),
    ];
    const forms = [plain, textA].flatMap((text) =>
      (['utf8', 'hex', 'base64', 'base64url'] as const).map((form) => Buffer.from(text).toString(form)),
    );
    for (const form of forms) expect(JSON.stringify(stored)).not.toContain(form.replaceAll('=', ''));
  });
});
