/** Where a repository comes from, checked: `parseSource` makes it and everything else in this folder takes it. */
export interface GitSource {
  readonly kind: 'folder' | 'https' | 'ssh';
  /** For Git: a canonical URL without credentials, or the absolute path of a folder. */
  readonly url: string;
  /** For people and for the repository's record; `parseSource` reads it back. */
  readonly displayName: string;
  /** The repository's name unless the caller gives one: `owner/name`, or the name of a folder. */
  readonly defaultName: string;
  /** What a connection goes to; `undefined` for a folder. */
  readonly remote: RemoteHost | undefined;
}

export interface RemoteHost {
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number;
}
