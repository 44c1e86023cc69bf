import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';

/** Number of first lines of a passage that are always shown, of lines around one that decides, and least room for more. */
const kept = { first: 3, around: 2, least: 80 } as const;
/** Maximum length of a shown line, number of lines of a passage, and of those that are examined. */
const max = { line: 200, kept: 5_000, lines: 600 } as const;

/**
 * Returns the lines of a passage that fit into a number of characters: all, or the first ones and those around the lines
 * with the rarest words of the question, with a mark for each gap. Control characters are removed, and the indentation
 * that all lines share.
 */
export function decidingLines(text: string, question: string, characters: number): string {
  const lines = unindented(text.split('\n', max.kept));
  const whole = lines.join('\n');
  if (whole.length <= characters) return whole;
  const shown = chosen(lines, weightsOf(lines.slice(0, max.lines), question), characters);
  const parts: string[] = [];
  let last = -1;
  for (const at of [...shown].toSorted((a, b) => a - b)) {
    if (at > last + 1) parts.push(gap(at - last - 1));
    parts.push(lines[at] ?? '');
    last = at;
  }
  if (last < lines.length - 1) parts.push(gap(lines.length - 1 - last));
  return parts.join('\n');
}

function gap(lines: number): string {
  return `… ${counted(lines, 'line')}`;
}

function unindented(lines: readonly string[]): readonly string[] {
  const visible = lines.map((line) => visibleLine(line).trimEnd());
  const indents = visible.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const shared = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  return visible.map((line) => shorten(line.slice(Math.min(shared, line.length)), max.line));
}

/** Returns how much the words of the question in each line count: the rarer in the passage, the more. */
function weightsOf(lines: readonly string[], question: string): readonly number[] {
  const asked = new Set(questionWordsIn(question).flatMap(({ stems }) => stems));
  const words = lines.map((line) => new Set(wordsIn(line).filter((word) => asked.has(word))));
  const counts = new Map<string, number>();
  for (const word of words.flatMap((one) => [...one])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return words.map((one) =>
    [...one].reduce((sum, word) => sum + Math.log(1 + lines.length / (counts.get(word) ?? 1)), 0),
  );
}

/** Chooses the first lines, then windows around the lines that weigh most, until the characters are used up. */
function chosen(
  lines: readonly string[],
  weights: readonly number[],
  characters: number,
): ReadonlySet<number> {
  const shown = new Set<number>();
  let left = characters;
  const add = (from: number, to: number): void => {
    for (let at = Math.max(0, from); at <= Math.min(to, lines.length - 1); at++) {
      const cost = (lines[at]?.length ?? 0) + 1;
      if (shown.has(at)) continue;
      if (cost > left) return;
      left -= cost;
      shown.add(at);
    }
  };
  add(0, kept.first - 1);
  const best = weights
    .map((weight, at) => ({ weight, at }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.at - b.at);
  for (const { at } of best) {
    if (left < kept.least) break;
    add(at - kept.around, at + kept.around);
  }
  // A mark for a gap is about as long as the one line that it stands for.
  for (let at = 1; at < lines.length; at++) if (shown.has(at - 1) && shown.has(at + 1)) shown.add(at);
  return shown;
}
