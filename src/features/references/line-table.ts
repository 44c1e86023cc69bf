import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { FileLines } from './name-lines.ts';
import type { Meaning } from './name-meanings.ts';

/** A file of a table; without a commit if no line of it has the name. */
export type TableFile = Pick<FileLines, 'repositoryId' | 'repository' | 'path' | 'language'> &
  Partial<Pick<FileLines, 'commit'>>;

/** A line with the meaning of the name in it. */
export interface TableLine {
  readonly file: TableFile;
  readonly line: number;
  readonly meaning: Meaning;
  readonly isDefinition: boolean;
  /** True if the line uses a definition under another name. */
  readonly isOtherName: boolean;
}

const ranks = ['definition', 'certain', 'possible', 'text'] as const;
/** The numbers of one line: its file, its line, and its meaning twice, plus one under another name. */
const numbersOfLine = 3;
/** Rough sizes in memory, in bytes. */
const sizes = { file: 400, meaning: 120, definition: 400, reference: 8, number: 4 } as const;

/**
 * The lines of a name, 12 bytes each: a frequent name has 200,000. Definitions come first, then certain uses, possible
 * ones and text, each in the order in which they were added.
 */
export class LineTable {
  readonly #files: TableFile[] = [];
  readonly #meanings: Meaning[] = [];
  readonly #numbers = new Map<Meaning, number>();
  /** The last meaning, since neighbouring lines often mean the same. */
  #last: { readonly meaning: Meaning; readonly number: number } | undefined;
  #rows: readonly (number[] | Uint32Array)[] = ranks.map(() => []);

  /** Begins a file: the lines that are added next are of this one. */
  addFile(file: TableFile): void {
    this.#files.push(file);
  }

  add(line: number, meaning: Meaning, is: Pick<TableLine, 'isDefinition' | 'isOtherName'>): void {
    const rank = ranks.indexOf(is.isDefinition ? 'definition' : meaning.certainty);
    const number = this.#numberOf(meaning) * 2 + Number(is.isOtherName);
    (this.#rows[rank] as number[]).push(this.#files.length - 1, line, number);
  }

  /** Adds lines of one meaning that define nothing. */
  addAll(lines: readonly number[], meaning: Meaning): void {
    const rows = this.#rows[ranks.indexOf(meaning.certainty)] as number[];
    const file = this.#files.length - 1;
    const number = this.#numberOf(meaning) * 2;
    for (const line of lines) rows.push(file, line, number);
  }

  /** Packs the lines, after the last one was added. */
  pack(): void {
    this.#rows = this.#rows.map((numbers) => Uint32Array.from(numbers));
    this.#numbers.clear();
    this.#last = undefined;
  }

  get length(): number {
    return this.#rows.reduce((sum, { length }) => sum + length, 0) / numbersOfLine;
  }

  /** Returns the number of lines of a certainty. */
  count(certainty: Meaning['certainty']): number {
    const definitions = this.#rows[0]!;
    let count = this.#rows[ranks.indexOf(certainty)]!.length / numbersOfLine;
    for (let at = 2; at < definitions.length; at += numbersOfLine)
      if (this.#meanings[definitions[at]! >> 1]!.certainty === certainty) count += 1;
    return count;
  }

  /** Returns the size in memory, roughly. */
  bytes(): number {
    const definitions = new Set<DefinedName>();
    let references = 0;
    for (const { from, to, may = [] } of this.#meanings) {
      references += to.length + may.length;
      for (const each of from === undefined ? to : [from, ...to]) definitions.add(each);
    }
    return (
      this.length * numbersOfLine * sizes.number +
      this.#files.length * sizes.file +
      this.#meanings.length * sizes.meaning +
      references * sizes.reference +
      definitions.size * sizes.definition
    );
  }

  /** Returns the lines from one position to another. */
  slice(from: number, to: number): readonly TableLine[] {
    const found: TableLine[] = [];
    let before = 0;
    for (const [rank, numbers] of this.#rows.entries()) {
      const count = numbers.length / numbersOfLine;
      for (let index = Math.max(0, from - before); index < Math.min(count, to - before); index++) {
        const [file = 0, line = 0, meaning = 0] = numbers.slice(
          index * numbersOfLine,
          (index + 1) * numbersOfLine,
        );
        found.push({
          file: this.#files[file]!,
          line,
          meaning: this.#meanings[meaning >> 1]!,
          isDefinition: rank === 0,
          isOtherName: meaning % 2 === 1,
        });
      }
      before += count;
    }
    return found;
  }

  #numberOf(meaning: Meaning): number {
    if (this.#last?.meaning === meaning) return this.#last.number;
    const number = this.#numbers.get(meaning) ?? this.#meanings.push(meaning) - 1;
    this.#numbers.set(meaning, number);
    this.#last = { meaning, number };
    return number;
  }
}
