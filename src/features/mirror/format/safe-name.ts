import { createHash } from 'node:crypto';
import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';

/** Maximum length of a name, in bytes. */
const maxNameBytes = 80;
const hashLength = 8;

/** Names under which Windows opens a device, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;

/**
 * Returns a name for a file or folder: letters of one case, digits, `.`, `_`, `-`, at most 80 bytes. Text that is
 * already such a name stays; any other gets a hash of the text, so that two texts that differ only in case or in
 * characters that are not permitted have two names on every file system.
 */
export function safeName(text: string, letters: 'upper' | 'lower'): string {
  const inCase = (value: string) => (letters === 'upper' ? value.toUpperCase() : value.toLowerCase());
  const name = trimmed(inCase(text.slice(0, maxNameBytes)).replaceAll(/[^A-Za-z0-9._-]+/gu, '-'));
  if (name === text && name !== '' && !device.test(name)) return name;
  const hash = createHash('sha256').update(text.toWellFormed()).digest('hex').slice(0, hashLength);
  const start = trimmed(name.slice(0, maxNameBytes - hashLength - 2));
  return `${device.test(start) ? '_' : ''}${start}${start === '' ? '' : '-'}${inCase(hash)}`;
}

/** Removes dots, dashes at both ends: a leading dot hides a file, and Windows drops a trailing one. */
function trimmed(name: string): string {
  return withoutEnd(name.replace(/^[.-]+/u, ''), '.-');
}

/** A file that a record embeds or that was uploaded to it. */
interface Asset {
  /** SHA-256 of its content, in hexadecimal: the same content has the same path. */
  readonly sha256: string;
  /** Its name at the provider, without the extension. */
  readonly name: string;
  /** The extension of the type that its content has. */
  readonly extension: string;
}

const assetHashLength = 16;

/**
 * Returns the path of an asset from the root of the context repository: in the folder `assets` beside the file of its
 * record (specification: Mirrored files), in a folder for each record.
 */
export function assetPath(recordPath: string, { sha256, name, extension }: Asset): string {
  const slash = recordPath.lastIndexOf('/');
  const entity = recordPath.slice(slash + 1).replace(/\.md$/u, '');
  const file = `${sha256.slice(0, assetHashLength)}-${safeName(name, 'lower')}.${safeName(extension, 'lower')}`;
  return `${recordPath.slice(0, slash)}/assets/${entity}/${file}`;
}
