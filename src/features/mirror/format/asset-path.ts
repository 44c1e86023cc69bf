import { safeName } from './safe-name.ts';

/** A file that a record embeds or that was uploaded to it. */
export interface Asset {
  /** SHA-256 of its content, in hexadecimal: the same content has the same path. */
  readonly sha256: string;
  /** Its name at the provider, without the extension. */
  readonly name: string;
  /** The extension of the type that its content has. */
  readonly extension: string;
}

const hashLength = 16;

/**
 * Returns the path of an asset from the root of the context repository: in the folder `assets` beside the file of its
 * record (specification: Mirrored files), in a folder for each record.
 */
export function assetPath(recordPath: string, { sha256, name, extension }: Asset): string {
  const slash = recordPath.lastIndexOf('/');
  const entity = recordPath.slice(slash + 1).replace(/\.md$/u, '');
  const file = `${sha256.slice(0, hashLength)}-${safeName(name, 'lower')}.${safeName(extension, 'lower')}`;
  return `${recordPath.slice(0, slash)}/assets/${entity}/${file}`;
}
