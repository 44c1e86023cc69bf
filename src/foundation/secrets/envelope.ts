import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DerivedKey } from './derive-key.ts';
import type { SecretPlace } from './secret-place.ts';

// `v1.<key id>.<iv>.<ciphertext and tag>`, the last three in base64url: AES-256-GCM with a random 96-bit IV.
const version = 'v1';
const algorithm = 'aes-256-gcm';
const ivBytes = 12;
/** Said on both sides: without it Node takes tags of 4 bytes, too, which can be guessed. */
const authTagLength = 16;

/** Of a text in UTF-8; the longest that is kept is a private key of some kilobytes. */
const maxSecretBytes = 64 * 1024;
const maxEnvelopeLength = 100 + Math.ceil(((maxSecretBytes + authTagLength) * 4) / 3);

interface Envelope {
  readonly keyId: string;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/** @throws RangeError for a text that is longer than `maxSecretBytes` or would not come back as it was. */
export function sealText(key: DerivedKey, place: SecretPlace, text: string): string {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length > maxSecretBytes || !text.isWellFormed()) {
    throw new RangeError(`a secret is well-formed text of at most ${maxSecretBytes} bytes`);
  }
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key.bytes, iv, { authTagLength });
  cipher.setAAD(boundTo(place));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return [version, key.id, iv.toString('base64url'), sealed.toString('base64url')].join('.');
}

/** `undefined` where the text was changed, or sealed for another place or with another key. */
export function openText(key: DerivedKey, place: SecretPlace, envelope: Envelope): string | undefined {
  const decipher = createDecipheriv(algorithm, key.bytes, envelope.iv, { authTagLength });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(envelope.tag);
  try {
    return Buffer.concat([decipher.update(envelope.ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** `undefined` for anything but an envelope of this version, written exactly as `sealText` writes it. */
export function readEnvelope(text: string): Envelope | undefined {
  if (text.length > maxEnvelopeLength) return undefined;
  const [ours, keyId, ivText, sealedText, ...rest] = text.split('.');
  if (ours !== version || !keyId || rest.length > 0) return undefined;
  const iv = strictBytes(ivText);
  const sealed = strictBytes(sealedText);
  if (iv?.length !== ivBytes || sealed === undefined || sealed.length < authTagLength) return undefined;
  const end = sealed.length - authTagLength;
  return { keyId, iv, ciphertext: sealed.subarray(0, end), tag: sealed.subarray(end) };
}

/** Node passes over what is not base64url, and over spare bits at the end: one text a value, or none. */
function strictBytes(text = ''): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Additional authenticated data: what an envelope is good for. */
function boundTo({ connectionId, field }: SecretPlace): Buffer {
  if (connectionId.includes('\0') || field.includes('\0')) throw new RangeError('a place holds no NUL');
  return Buffer.from(['connection', connectionId, field, version].join('\0'), 'utf8');
}
