/** `started`: the grammar is loaded, and the time of the file runs from now on. */
export type FromParseThread =
  | 'started'
  | {
      /** JSON of `Extracted`, which is passed on several times as fast as objects. */
      readonly extracted: string;
      /** The processor time of the file, in milliseconds. */
      readonly usedMs: number;
    };

export interface ParseThreadData {
  /** Maximum memory of the grammars and trees of the thread, in pages of 64 KiB. */
  readonly maxPages: number;
  /** Maximum number of places in a file that the query finds. A file with more is data, or generated. */
  readonly maxMatches: number;
}
