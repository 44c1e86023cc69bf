import { type FileMatch, type LineMatch, maxMatchText } from './port.ts';

/**
 * Overhead of a match and of a context line, in UTF-16 code units, because both are larger than their text when
 * serialized.
 */
const matchCost = 64;
const lineCost = 4;

/** The remaining size of the matches in one response, consumed file by file. */
export interface MatchBudget {
  /** Returns a filter for the matches of the next file, in order: false from the first match on that does not fit. */
  forFile(): (match: LineMatch) => boolean;
}

export function matchBudget(): MatchBudget {
  let responseLeft: number = maxMatchText.answer;
  return {
    forFile: () => {
      let fileLeft: number = maxMatchText.file;
      return (match) => {
        const cost = costOf(match);
        if (cost > responseLeft) responseLeft = 0;
        if (cost > Math.min(fileLeft, responseLeft)) {
          fileLeft = 0;
          return false;
        }
        fileLeft -= cost;
        responseLeft -= cost;
        return true;
      };
    },
  };
}

/** Drops the matches of one response that exceed the budget and counts them in `moreMatches`. */
export function limitMatches(files: readonly FileMatch[]): FileMatch[] {
  const budget = matchBudget();
  return files.map((file) => {
    const matches = file.matches.filter(budget.forFile());
    if (matches.length === file.matches.length) return file;
    return { ...file, matches, moreMatches: file.moreMatches + file.matches.length - matches.length };
  });
}

function costOf({ text, before, after }: LineMatch): number {
  return [...before, ...after].reduce((sum, line) => sum + lineCost + line.length, matchCost + text.length);
}
