import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DerivedKey } from './derive-key.ts';

// `v1.<key id>.<iv>.<ciphertext and tag>`, the last three in base64url: AES-256-GCM with a random 96-bit IV.
const version = 'v1';
const algorithm = 'aes-256-gcm';
const ivBytes = 12;
/** Said on both sides: without it Node takes tags of 4 bytes, too, which can be guessed. */
const authTagLength = 16;

/** The longest text that is ever sealed, in bytes of UTF-8; whoever seals may hold to less. */
const maxSealedBytes = 512 * 1024;
const maxEnvelopeLength = 100 + Math.ceil(((maxSealedBytes + authTagLength) * 4) / 3);

interface Envelope {
  readonly keyId: string;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/**
 * An envelope that opens with the same additional authenticated data only: `boundTo` says what it is good for.
 * @throws RangeError for a text that is longer than `maxBytes` or would not come back as it was.
 */
export function sealText(key: DerivedKey, boundTo: string, text: string, maxBytes = maxSealedBytes): string {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length > maxBytes || !text.isWellFormed()) {
    throw new RangeError(`what is sealed is well-formed text of at most ${maxBytes} bytes`);
  }
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key.bytes, iv, { authTagLength });
  cipher.setAAD(Buffer.from(`${boundTo}\0${version}`, 'utf8'));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return [version, key.id, iv.toString('base64url'), sealed.toString('base64url')].join('.');
}

/** `undefined` where the text was changed, or sealed for something else or with another key. */
export function openText(key: DerivedKey, boundTo: string, envelope: Envelope): string | undefined {
  const decipher = createDecipheriv(algorithm, key.bytes, envelope.iv, { authTagLength });
  decipher.setAAD(Buffer.from(`${boundTo}\0${version}`, 'utf8'));
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
