import { pathAt } from '../../backends/codesearch/port.ts';
import { lowerBound } from '../../foundation/kernel/lower-bound.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import type { RepositoryLines } from './name-lines.ts';
import type { LineCertainty, Meaning } from './name-meanings.ts';

/** Lines of a repository, as a code search lists them. */
export interface LineList extends Pick<RepositoryLines, 'repository' | 'name' | 'paths'> {
  readonly ends: ArrayLike<number>;
  readonly lines: ArrayLike<number>;
  /** The commit of the lines. Default: the indexed one. */
  readonly commit?: string;
  /** Set if the lines use a definition under another name. */
  readonly isOtherName?: true;
}

/** A line with the meaning of the name in it. */
export interface TableLine {
  readonly list: LineList;
  readonly path: string;
  readonly line: number;
  readonly meaning: Meaning;
  readonly isDefinition: boolean;
}

/** Adjacent lines of a list that say the same of the name. */
interface Run {
  readonly list: LineList;
  /** The place of the first line in the list, and that after the last one. */
  readonly from: number;
  to: number;
  readonly meaning: Meaning;
}

const ranks = ['definition', 'certain', 'written', 'possible', 'text'] as const;
/** Rough sizes in memory, in bytes. */
const sizes = { line: 4, file: 8, run: 60, meaning: 120, definition: 400, reference: 8 } as const;

/**
 * The lines of a name, in runs: a frequent name has a million lines. Definitions come first, then certain uses, those
 * that are written so, other possible ones and text, each in the order in which they were added.
 */
export class LineTable {
  readonly #runs: readonly Run[][] = ranks.map(() => []);
  readonly #counts = { certain: 0, written: 0, possible: 0, text: 0, elsewhere: 0, others: 0 };

  /** Adds lines of a list from one place to another. Those that are left out are only counted. */
  add(list: LineList, from: number, to: number, meaning: Meaning, isDefinition = false): void {
    if (from === to) return;
    const { certainty } = meaning;
    this.#counts[certainty] += to - from;
    if (certainty === 'elsewhere' || certainty === 'others') return;
    const runs = this.#runs[ranks.indexOf(isDefinition ? 'definition' : certainty)]!;
    const last = runs.at(-1);
    if (last?.list === list && last.meaning === meaning && last.to === from) last.to = to;
    else runs.push({ list, from, to, meaning });
  }

  /** The number of lines of each certainty. */
  get counts(): Readonly<Record<LineCertainty, number>> {
    return this.#counts;
  }

  /** The number of lines that are listed. */
  get total(): number {
    const { certain, written, possible, text } = this.#counts;
    return certain + written + possible + text;
  }

  /** Returns the size in memory, roughly. */
  get bytes(): number {
    const runs = this.#runs.flat();
    const lists = new Set(runs.map(({ list }) => list));
    const meanings = new Set(runs.map(({ meaning }) => meaning));
    const definitions = new Set<DefinedName>();
    let bytes = runs.length * sizes.run + meanings.size * sizes.meaning;
    for (const { paths, lines } of lists)
      bytes += 2 * paths.text.length + paths.ends.length * sizes.file + lines.length * sizes.line;
    for (const { from = '', to, may = [] } of meanings) {
      bytes += (to.length + may.length) * sizes.reference + from.length;
      for (const each of to) definitions.add(each);
    }
    return bytes + definitions.size * sizes.definition;
  }

  /** Returns the lines from one position to another. */
  slice(start: number, end: number): readonly TableLine[] {
    const found: TableLine[] = [];
    let before = 0;
    for (const [rank, runs] of this.#runs.entries()) {
      for (const { list, from, to, meaning } of runs) {
        if (before >= end) return found;
        const last = Math.min(to, from + end - before);
        for (let place = from + Math.max(0, start - before); place < last; place++) {
          const file = lowerBound(list.ends.length, (index) => list.ends[index]! > place);
          const path = pathAt(list.paths, file);
          found.push({ list, path, line: list.lines[place]!, meaning, isDefinition: rank === 0 });
        }
        before += to - from;
      }
    }
    return found;
  }
}
