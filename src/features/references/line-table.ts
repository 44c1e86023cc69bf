import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { FileLines } from './name-lines.ts';
import type { Meaning } from './name-meanings.ts';

/** A file of a table; without a commit if no line of it has the name. */
export type TableFile = Pick<FileLines, 'key' | 'repositoryId' | 'repository' | 'path' | 'language'> &
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

/** Lines of a file, in the order in which they were added, that say the same of the name. */
interface Run extends Omit<TableLine, 'line' | 'isDefinition'> {
  readonly lines: readonly number[];
}

const ranks = ['definition', 'certain', 'possible', 'text'] as const;
/** Rough sizes in memory, in bytes. */
const sizes = { line: 8, run: 100, file: 400, meaning: 120, definition: 400, reference: 8 } as const;

/**
 * The lines of a name, in runs: a frequent name has 200,000 lines. Definitions come first, then certain uses, possible
 * ones and text, each in the order in which they were added.
 */
export class LineTable {
  readonly #runs: readonly Run[][] = ranks.map(() => []);

  add({ isDefinition, line, ...rest }: TableLine): void {
    const runs = this.#runs[ranks.indexOf(isDefinition ? 'definition' : rest.meaning.certainty)]!;
    const last = runs.at(-1);
    const isSame =
      last?.file === rest.file && last.meaning === rest.meaning && last.isOtherName === rest.isOtherName;
    if (isSame) (last.lines as number[]).push(line);
    else runs.push({ ...rest, lines: [line] });
  }

  /** Adds all lines of a file, which have one meaning and define nothing. */
  addAll(file: TableFile, lines: readonly number[], meaning: Meaning): void {
    this.#runs[ranks.indexOf(meaning.certainty)]!.push({ file, lines, meaning, isOtherName: false });
  }

  get length(): number {
    return lengthOf(this.#runs.flat());
  }

  /** Returns the number of lines of a certainty. */
  count(certainty: Meaning['certainty']): number {
    return lengthOf(this.#runs.flat().filter(({ meaning }) => meaning.certainty === certainty));
  }

  /** Returns the size in memory, roughly. */
  bytes(): number {
    const runs = this.#runs.flat();
    const meanings = new Set(runs.map(({ meaning }) => meaning));
    const definitions = new Set<DefinedName>();
    let references = 0;
    for (const { from, to, may = [] } of meanings) {
      references += to.length + may.length;
      for (const each of from === undefined ? to : [from, ...to]) definitions.add(each);
    }
    return (
      lengthOf(runs) * sizes.line +
      runs.length * sizes.run +
      new Set(runs.map(({ file }) => file)).size * sizes.file +
      meanings.size * sizes.meaning +
      references * sizes.reference +
      definitions.size * sizes.definition
    );
  }

  /** Returns the lines from one position to another. */
  slice(from: number, to: number): readonly TableLine[] {
    const found: TableLine[] = [];
    let before = 0;
    for (const [rank, runs] of this.#runs.entries()) {
      for (const { lines, file, meaning, isOtherName } of runs) {
        if (before >= to) return found;
        if (before + lines.length > from)
          for (const line of lines.slice(Math.max(0, from - before), to - before))
            found.push({ file, line, meaning, isDefinition: rank === 0, isOtherName });
        before += lines.length;
      }
    }
    return found;
  }
}

function lengthOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { lines }) => sum + lines.length, 0);
}
