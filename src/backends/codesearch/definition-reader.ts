import type { Definition } from './port.ts';

/** A file whose definitions are read. */
export interface DefinitionSource {
  readonly path: string;
  /** A language name as in `FileMatch.language`. */
  readonly language: string;
  /** UTF-8, at most `maxFileBytes`. */
  readonly text: Buffer;
}

/**
 * Reads the definitions of files. It may be slow: an index makes texts searchable first, and asks for their
 * definitions afterwards.
 */
export interface DefinitionReader {
  /** Returns whether definitions in a language can be read. The index asks for files of these languages only. */
  supports(language: string): boolean;
  /**
   * Returns the definitions of each file, in the order of the files and of their lines; none for a file that it cannot
   * read. A definition whose name has a line end or is empty is ignored.
   */
  read(files: readonly DefinitionSource[], signal: AbortSignal): Promise<readonly (readonly Definition[])[]>;
}
