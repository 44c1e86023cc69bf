import { createHmac } from 'node:crypto';
import { deriveKey } from './derive-key.ts';
import { openText, readEnvelope, sealText } from './envelope.ts';

/**
 * Seals and signs small texts for one purpose, with keys derived from AUTH_SECRET. They cannot be opened with another
 * secret.
 */
export interface Sealer {
  /**
   * Seals a text into an envelope that opens only at `place`, even if it is moved to another row.
   * @throws RangeError for a text over 512 KiB or one that is not well-formed.
   */
  seal(place: string, text: string): string;
  /**
   * Opens an envelope. Returns `undefined` if it was changed, or sealed for another place or purpose, or with another
   * AUTH_SECRET.
   */
  open(place: string, envelope: string): string | undefined;
  /** Returns the HMAC-SHA-256 of the text in base64url: deterministic, and impossible to forge without the key. */
  mac(text: string): string;
}

/** Creates a sealer. @param purpose such as `orgctx/oauth/v1`; each purpose has separate keys */
export function createSealer(authSecret: string, purpose: string): Sealer {
  const sealing = deriveKey(authSecret, '', purpose);
  const signing = deriveKey(authSecret, '', `${purpose}/mac`);
  return {
    seal: (place, text) => sealText(sealing, place, text),
    open(place, text) {
      const envelope = readEnvelope(text);
      return envelope?.keyId === sealing.id ? openText(sealing, place, envelope) : undefined;
    },
    mac: (text) => createHmac('sha256', signing.bytes).update(text).digest('base64url'),
  };
}
