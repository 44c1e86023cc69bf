import { type FileMatch, type LineMatch, mostShown } from './port.ts';

/** What a match costs beside its characters, and a line around it: they are more than text when they are sent. */
const MATCH = 64;
const LINE = 4;

/** What one answer may show, used up file after file. */
export interface ShownBudget {
  /** For the matches of the next file, in order: false from the first on that does not fit any more. */
  ofFile(): (match: LineMatch) => boolean;
}

export function shownBudget(): ShownBudget {
  let ofAnswer: number = mostShown.answer;
  return {
    ofFile: () => {
      let ofFile: number = mostShown.file;
      return (match) => {
        const cost = costOf(match);
        if (cost > ofAnswer) ofAnswer = 0;
        if (cost > Math.min(ofFile, ofAnswer)) {
          ofFile = 0;
          return false;
        }
        ofFile -= cost;
        ofAnswer -= cost;
        return true;
      };
    },
  };
}

/** The files of one answer, in order; matches that it has no room for are counted. */
export function withinBudget(files: readonly FileMatch[]): FileMatch[] {
  const budget = shownBudget();
  return files.map((file) => {
    const matches = file.matches.filter(budget.ofFile());
    if (matches.length === file.matches.length) return file;
    return { ...file, matches, moreMatches: file.moreMatches + file.matches.length - matches.length };
  });
}

function costOf({ text, before, after }: LineMatch): number {
  return [...before, ...after].reduce((sum, line) => sum + LINE + line.length, MATCH + text.length);
}
