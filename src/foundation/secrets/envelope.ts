import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DerivedKey } from './derive-key.ts';

// `v1.<key id>.<iv>.<ciphertext and tag>`, the last three in base64url: AES-256-GCM with a random 96-bit IV.
const version = 'v1';
const algorithm = 'aes-256-gcm';
const ivBytes = 12;
/**
 * Length of the tag in bytes, given for both sealing and opening. Without it Node also accepts tags of 4 bytes, which
 * can be guessed.
 */
const authTagLength = 16;

/** Maximum size of a sealed text, in bytes of UTF-8. Callers may set a lower limit. */
const maxSealedBytes = 512 * 1024;
const maxEnvelopeLength = 100 + Math.ceil(((maxSealedBytes + authTagLength) * 4) / 3);

interface Envelope {
  readonly keyId: string;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/**
 * Seals a text into an envelope that opens only with the same additional authenticated data, `boundTo`.
 * @throws RangeError for a text that is longer than `maxBytes` or not well-formed.
 */
export function sealText(key: DerivedKey, boundTo: string, text: string, maxBytes = maxSealedBytes): string {
  const plain = Buffer.from(text, 'utf8');
  if (plain.length > maxBytes || !text.isWellFormed()) {
    throw new RangeError(`A sealed text must be well-formed and at most ${maxBytes} bytes long.`);
  }
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key.bytes, iv, { authTagLength });
  cipher.setAAD(Buffer.from(`${boundTo}\0${version}`, 'utf8'));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return [version, key.id, iv.toString('base64url'), sealed.toString('base64url')].join('.');
}

/** Opens an envelope. Returns `undefined` if it was changed, or sealed for another purpose or with another key. */
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

/**
 * Parses an envelope. Returns `undefined` for text that is not exactly an envelope of this version as `sealText`
 * writes it.
 */
export function readEnvelope(text: string): Envelope | undefined {
  if (text.length > maxEnvelopeLength) return undefined;
  const [textVersion, keyId, ivText, sealedText, ...rest] = text.split('.');
  if (textVersion !== version || !keyId || rest.length > 0) return undefined;
  const iv = strictBytes(ivText);
  const sealed = strictBytes(sealedText);
  if (iv?.length !== ivBytes || sealed === undefined || sealed.length < authTagLength) return undefined;
  const end = sealed.length - authTagLength;
  return { keyId, iv, ciphertext: sealed.subarray(0, end), tag: sealed.subarray(end) };
}

/**
 * Decodes base64url strictly: Node ignores other characters and spare bits at the end. Each value has only one valid
 * text.
 */
function strictBytes(text = ''): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
