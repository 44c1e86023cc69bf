import type { FileSymbol, ParsedFile } from '../../../../backends/languages/port.ts';

/** The data of a file that other files are resolved with. Of its references only those of kind `inherits`. */
export type TableFile = Omit<ParsedFile, 'calls'>;

/** A definition and its file. */
export interface Target {
  readonly path: string;
  readonly symbol: FileSymbol;
}
