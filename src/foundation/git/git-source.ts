/** Where a repository comes from, checked: what `parseSource` gives and everything else in this folder takes. */
export interface GitSource {
  readonly kind: 'folder' | 'https' | 'ssh';
  /** For Git: a canonical URL without credentials, or the absolute path of a folder. */
  readonly url: string;
  /** For people and for the repository's record; the same place in its usual form. */
  readonly displayName: string;
  /** The repository's name unless the caller gives one: the last segments without `.git` (`owner/name`). */
  readonly defaultName: string;
}
