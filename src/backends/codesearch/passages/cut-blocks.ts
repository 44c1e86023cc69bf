import { type LineSpan, maxLineLength } from '../port.ts';

/** Length above which a block is cut, and up to which small neighbours are merged. */
const blockLength = { max: 2400, merged: 1200 } as const;
const prose = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Org', 'Text']);
const fence = /^\s*(?:```|~~~)/;
const marked = /^(?:#{1,6}|={1,6})\s+\S/;
const underline = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/;

/**
 * Cuts lines that no definition contains into blocks of at most about 2,400 characters that cover them: sections of
 * prose, or paragraphs. Small neighbours are one block.
 */
export function cutBlocks(lines: readonly string[], language: string): LineSpan[] {
  const lengths = [0];
  for (const line of lines) lengths.push(lengths.at(-1)! + Math.min(line.length, maxLineLength) + 1);
  const text = { lines, lengths };
  const sections = prose.has(language) ? sectionsOf(lines) : [{ startLine: 1, endLine: lines.length }];
  const blocks = sections.flatMap((section) => paragraphs(text, section));
  return mergeSmall(text, blocks).flatMap((block) => trimmed(lines, block));
}

interface Text {
  readonly lines: readonly string[];
  /** Length of the lines before each line, and of all lines. */
  readonly lengths: readonly number[];
}

function lengthOf({ lengths }: Text, { startLine, endLine }: LineSpan): number {
  return lengths[endLine]! - lengths[startLine - 1]!;
}

/** Cuts lines at blank lines, or anywhere if there are none, when they are too long for a block. */
function paragraphs(text: Text, { startLine, endLine }: LineSpan): LineSpan[] {
  const blocks: LineSpan[] = [];
  for (let from = startLine; from <= endLine; ) {
    let to = from;
    let blank: number | undefined;
    while (to < endLine && lengthOf(text, { startLine: from, endLine: to + 1 }) <= blockLength.max) {
      to++;
      if (text.lines[to - 1]?.trim() === '') blank = to;
    }
    const isRest = to === endLine;
    const half = lengthOf(text, { startLine: from, endLine: to }) / 2;
    const cutsAtBlank =
      !isRest && blank !== undefined && lengthOf(text, { startLine: from, endLine: blank }) > half;
    const end = cutsAtBlank ? blank! : to;
    blocks.push({ startLine: from, endLine: end });
    from = end + 1;
  }
  return blocks;
}

function mergeSmall(text: Text, blocks: readonly LineSpan[]): LineSpan[] {
  const merged: LineSpan[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    const joined = last && { startLine: last.startLine, endLine: block.endLine };
    if (joined && lengthOf(text, joined) <= blockLength.merged) merged[merged.length - 1] = joined;
    else merged.push(block);
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
