import { createHmac } from 'node:crypto';
import { deriveKey } from './derive-key.ts';
import { openText, readEnvelope, sealText } from './envelope.ts';

/** Seals and signs small things of one purpose with keys of AUTH_SECRET: another secret opens none of them. */
export interface Sealer {
  /**
   * An envelope that opens at `place` only, whatever row it is moved to.
   * @throws RangeError for a text over 512 KiB or one that is not well-formed.
   */
  seal(place: string, text: string): string;
  /** `undefined` for what was changed, sealed for another place or purpose, or with another AUTH_SECRET. */
  open(place: string, envelope: string): string | undefined;
  /** HMAC-SHA-256 of the text in base64url: the same for the same text, and nobody else can make it. */
  mac(text: string): string;
}

/** @param purpose such as `orgctx/oauth/v1`; each has keys of its own */
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
