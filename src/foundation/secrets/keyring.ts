import { deriveKey } from './derive-key.ts';
import { openText, readEnvelope, sealText } from './envelope.ts';
import { boundToPlace, type SecretPlace } from './secret-place.ts';
import { SecretUnreadable } from './secret-unreadable.ts';

/** Maximum size of a secret, in bytes of UTF-8. The largest real secret is a private key of some kilobytes. */
const maxSecretBytes = 64 * 1024;

/** The keys of connection secrets: one sealing key, and former keys that only open. */
export interface Keyring {
  /** Id of the sealing key. */
  readonly keyId: string;
  /** Ids of all keys that open, the sealing key first. */
  readonly keyIds: readonly string[];
  /** Seals a text into an envelope that opens only at this place. @throws RangeError for a text over 64 KiB. */
  seal(place: SecretPlace, text: string): string;
  /** Opens an envelope. @throws SecretUnreadable `wrong_key` or `tampered` */
  open(place: SecretPlace, envelope: string): string;
}

/** Creates a keyring. @param texts texts of the key settings, the sealing key first */
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
