import { deriveKey } from './derive-key.ts';
import { openText, readEnvelope, sealText } from './envelope.ts';
import { boundToPlace, type SecretPlace } from './secret-place.ts';
import { SecretUnreadable } from './secret-unreadable.ts';

/** Of a text in UTF-8; the longest that is kept is a private key of some kilobytes. */
const maxSecretBytes = 64 * 1024;

/** The keys of connection secrets: one that seals, and those that were in use before, which only open. */
export interface Keyring {
  /** Of the key that seals. */
  readonly keyId: string;
  /** Of every key that opens, the one that seals first. */
  readonly keyIds: readonly string[];
  /** An envelope that opens at this place only. @throws RangeError for a text over 64 KiB. */
  seal(place: SecretPlace, text: string): string;
  /** @throws SecretUnreadable `wrong_key` or `tampered` */
  open(place: SecretPlace, envelope: string): string;
}

/** @param texts the settings' texts, the one that seals first */
export function createKeyring(texts: readonly [string, ...string[]], salt: string): Keyring {
  const sealing = deriveKey(texts[0], salt);
  const keys = new Map(texts.map((text) => deriveKey(text, salt)).map((key) => [key.id, key]));
  return {
    keyId: sealing.id,
    keyIds: [...keys.keys()],
    seal: (place, text) => sealText(sealing, boundToPlace(place), text, maxSecretBytes),
    open(place, text) {
      const envelope = readEnvelope(text);
      if (envelope === undefined) throw new SecretUnreadable(place, 'tampered');
      const key = keys.get(envelope.keyId);
      if (key === undefined) throw new SecretUnreadable(place, 'wrong_key');
      const opened = openText(key, boundToPlace(place), envelope);
      if (opened === undefined) throw new SecretUnreadable(place, 'tampered');
      return opened;
    },
  };
}
