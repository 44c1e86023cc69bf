import type { LineSpan, RankedDefinition } from '../port.ts';

/** Length above which a unit is cut at the definitions in it, and up to which small neighbours are merged. */
const unitLength = { max: 2400, merged: 1200 } as const;
/** Length that a line counts at most; longer ones are truncated. */
const maxLineLength = 2000;
const prose = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Org', 'Text']);
const fence = /^\s*(?:```|~~~)/;
const marked = /^(?:#{1,6}|={1,6})\s+\S/;
const underline = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/;

/** Lines that belong together. */
interface Unit extends LineSpan {
  /** False for a unit that stays apart from its neighbours, however small it is. */
  readonly mayMerge: boolean;
}

interface Text {
  readonly lines: readonly string[];
  /** Length of the lines before each line, and of all lines. */
  readonly lengths: readonly number[];
  readonly isApart: (definition: RankedDefinition) => boolean;
}

/**
 * Cuts a text into units of at most about 2,400 characters that cover it: whole definitions with their comments, or
 * sections of prose. A longer definition is cut at those inside it. `isApart` selects definitions that are not merged
 * with their neighbours.
 */
export function cutUnits(
  lines: readonly string[],
  language: string,
  definitions: readonly RankedDefinition[],
  isApart: (definition: RankedDefinition) => boolean,
): LineSpan[] {
  const lengths = [0];
  for (const line of lines) lengths.push(lengths.at(-1)! + Math.min(line.length, maxLineLength) + 1);
  const text = { lines, lengths, isApart };
  const whole = { startLine: 1, endLine: lines.length };
  const units = prose.has(language)
    ? mergeSmall(
        text,
        sectionsOf(lines).flatMap((section) => paragraphs(text, section)),
      )
    : cutAt(text, whole, definitions);
  return units.flatMap((unit) => trimmed(lines, unit));
}

function lengthOf({ lengths }: Text, { startLine, endLine }: LineSpan): number {
  return lengths[endLine]! - lengths[startLine - 1]!;
}

/** Cuts lines at the outermost definitions in them, and those again if they are long. */
function cutAt(text: Text, within: LineSpan, definitions: readonly RankedDefinition[]): Unit[] {
  const units: Unit[] = [];
  let from = within.startLine;
  for (let index = 0; index < definitions.length; ) {
    const outer = definitions[index]!;
    const startLine = Math.max(from, outer.startLine);
    const endLine = Math.min(within.endLine, Math.max(startLine, outer.endLine));
    let end = index + 1;
    while (end < definitions.length && definitions[end]!.line <= endLine) end++;
    if (startLine <= within.endLine) {
      units.push(...paragraphs(text, { startLine: from, endLine: startLine - 1 }));
      const inner = definitions.slice(index + 1, end);
      units.push(...unitsOfDefinition(text, outer, { startLine, endLine }, inner));
      from = endLine + 1;
    }
    index = end;
  }
  units.push(...paragraphs(text, { startLine: from, endLine: within.endLine }));
  return mergeSmall(text, units);
}

function unitsOfDefinition(
  text: Text,
  definition: RankedDefinition,
  span: LineSpan,
  inner: readonly RankedDefinition[],
): Unit[] {
  const isWhole = lengthOf(text, span) <= unitLength.max && !inner.some(text.isApart);
  if (isWhole) return [{ ...span, mayMerge: !text.isApart(definition) }];
  const usable = inner.filter((one) => one.line > definition.line);
  return usable.length === 0 ? paragraphs(text, span) : cutAt(text, span, usable);
}

/** Cuts lines at blank lines, or anywhere if there are none, when they are too long for a unit. */
function paragraphs(text: Text, { startLine, endLine }: LineSpan): Unit[] {
  const units: Unit[] = [];
  for (let from = startLine; from <= endLine; ) {
    let to = from;
    let blank: number | undefined;
    while (to < endLine && lengthOf(text, { startLine: from, endLine: to + 1 }) <= unitLength.max) {
      to++;
      if (text.lines[to - 1]?.trim() === '') blank = to;
    }
    const isRest = to === endLine;
    const half = lengthOf(text, { startLine: from, endLine: to }) / 2;
    const cutsAtBlank =
      !isRest && blank !== undefined && lengthOf(text, { startLine: from, endLine: blank }) > half;
    const end = cutsAtBlank ? blank! : to;
    units.push({ startLine: from, endLine: end, mayMerge: true });
    from = end + 1;
  }
  return units;
}

function mergeSmall(text: Text, units: readonly Unit[]): Unit[] {
  const merged: Unit[] = [];
  for (const unit of units) {
    const last = merged.at(-1);
    const joined = last && { startLine: last.startLine, endLine: unit.endLine, mayMerge: true };
    if (joined && last.mayMerge && unit.mayMerge && lengthOf(text, joined) <= unitLength.merged)
      merged[merged.length - 1] = joined;
    else merged.push(unit);
  }
  return merged;
}

/** Returns the sections of prose: each begins with its heading. */
function sectionsOf(lines: readonly string[]): LineSpan[] {
  const starts: number[] = [1];
  let isFenced = false;
  lines.forEach((line, at) => {
    if (fence.test(line)) isFenced = !isFenced;
    if (!isFenced && at > 0 && isHeading(line, lines[at + 1] ?? '')) starts.push(at + 1);
  });
  return starts.map((startLine, index) => ({
    startLine,
    endLine: (starts[index + 1] ?? lines.length + 1) - 1,
  }));
}

function isHeading(line: string, next: string): boolean {
  return (
    (marked.test(line) && line.length <= 200) ||
    (/^\w/.test(line) && line.length <= 120 && underline.test(next))
  );
}

function trimmed(lines: readonly string[], { startLine, endLine }: LineSpan): LineSpan[] {
  let first = startLine;
  let last = endLine;
  while (first <= last && (lines[first - 1] ?? '').trim() === '') first++;
  while (last >= first && (lines[last - 1] ?? '').trim() === '') last--;
  return first > last ? [] : [{ startLine: first, endLine: last }];
}
