/** A checked source of a repository. `parseSource` creates it; everything else in this folder uses it. */
export interface GitSource {
  readonly kind: 'folder' | 'https' | 'ssh';
  /** The address for Git: a canonical URL without credentials, or the absolute path of a folder. */
  readonly url: string;
  /** The address for display and for the repository's record; `parseSource` can parse it again. */
  readonly displayName: string;
  /** Default name of the repository: `owner/name`, or the name of a folder. */
  readonly defaultName: string;
  /** The host to connect to; `undefined` for a folder. */
  readonly remote: RemoteHost | undefined;
}

export interface RemoteHost {
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number;
}
