import type { SymbolKind } from '../../port.ts';
import { type CompiledLanguage, type CompiledRule, STARTS } from './compile-rules.ts';
import { ROW, START_BITS } from './line-module.ts';
import type { LineScanner } from './line-scanner.ts';
import { closeBlocks, innermost, isMember, type OpenBlock, openBlock } from './open-blocks.ts';

/** Characters of a line; longer ones are data or minified. */
const LONGEST_LINE = 512;

/** Processor time that one text may take, in milliseconds: far above what 1 MiB of anything honest takes. */
const TIME_OF_TEXT = 250;
/** A power of two: lines that are read between two looks at the time. */
const LINES_OF_LOOK = 16;

const RETURN = 0x0d;

/** Takes a definition: 1-based line, kind, and the name with its bytes as latin1. */
export type VisitSymbol = (line: number, kind: SymbolKind, name: string) => void;

/** Where the scan stands. */
interface Scan {
  readonly language: CompiledLanguage;
  readonly text: Buffer;
  readonly visit: VisitSymbol;
  readonly open: OpenBlock[];
  /** Lines that start before this offset lie in a comment or a string. */
  resume: number;
}

interface Line {
  readonly number: number;
  readonly indent: number;
  /** Offset behind the indentation. */
  readonly first: number;
  readonly end: number;
  readonly begins: number;
}

/**
 * Finds the definitions of a text, line by line in order. No parser: the first word of a line says which patterns are
 * tried, and indentation says what lies inside of what. Of a line that defines several names, the first. Patterns are
 * written so that no line costs much; should one do all the same, the text's definitions end where `milliseconds` of
 * this thread's processor time are used up, since the process that reads it answers others.
 */
export function eachSymbol(
  scanner: LineScanner,
  language: CompiledLanguage,
  text: Buffer,
  visit: VisitSymbol,
  milliseconds = TIME_OF_TEXT,
): void {
  scanner.begin(language, text);
  try {
    readLines(scanner, { language, text, visit, open: [], resume: 0 }, lateAfter(milliseconds));
  } finally {
    scanner.end();
  }
}

function readLines(scanner: LineScanner, scan: Scan, isLate: () => boolean): void {
  const { language, text } = scan;
  let number = 0;
  // Every line of every indexed text passes through here; whatever most do not need is left to `readLine`.
  for (let rows = scanner.next(); rows.length > 0; rows = scanner.next()) {
    for (let row = 0; row < rows.length; row += ROW.length) {
      number++;
      const begins = rows[row + ROW.begins]!;
      const indent = rows[row + ROW.indent]!;
      const slot = begins >>> START_BITS;
      if (slot === 0 && !isWorthReading(scan, begins, indent)) continue;
      const first = rows[row + ROW.first]!;
      const end = rows[row + ROW.end]!;
      if (first === end || first - indent < scan.resume) continue;
      const trimmed = text[end - 1] === RETURN ? end - 1 : end;
      if (first === trimmed) continue;
      const line = { number, indent, first, end: trimmed, begins };
      readLine(scan, line, slot === 0 ? undefined : language.ofWord[slot - 1]);
      if (isLate()) return;
    }
  }
}

/**
 * Asked after each line that is read. Processor time counts, so that a busy machine costs no definitions; but to look at
 * it takes longer than most texts. So half of the time goes by the clock, and only then is the other half measured.
 */
function lateAfter(milliseconds: number): () => boolean {
  const half = milliseconds / 2;
  let lines = 0;
  let until = Number.POSITIVE_INFINITY;
  let used: NodeJS.CpuUsage | undefined;
  return () => {
    if ((++lines & (LINES_OF_LOOK - 1)) !== 0) return false;
    const now = performance.now();
    if (lines === LINES_OF_LOOK) until = now + half;
    if (now < until) return false;
    if (used === undefined) {
      used = process.threadCpuUsage();
      until = now + half;
      return false;
    }
    const { user, system } = process.threadCpuUsage(used);
    return user + system > half * 1000;
  };
}

/** Whether a line whose first word says nothing may matter all the same. */
function isWorthReading({ language, open }: Scan, begins: number, indent: number): boolean {
  if ((begins & STARTS.block) !== 0) return true;
  const inner = innermost(open);
  // What is indented further than the members of a block neither is one nor ends it.
  if (inner !== undefined && (indent <= inner.members || language.wordlessAnywhere)) return true;
  return language.wordless.length > 0 && (indent === 0 || language.wordlessAnywhere);
}

function readLine(scan: Scan, line: Line, rules: readonly CompiledRule[] | undefined): void {
  const { language, text, open } = scan;
  if ((line.begins & STARTS.block) !== 0) {
    scan.resume = endOfComment(scan, line);
    if (scan.resume > 0) return;
  }
  if (open.length > 0) closeBlocks(open, line.indent, text[line.first]!, text[line.end - 1]!);
  if (line.begins === 0 || line.end - line.first > LONGEST_LINE) return;
  const inner = innermost(open);
  const members = inner !== undefined && isMember(inner, line.indent) ? inner.block.members : undefined;
  const outer = members !== undefined || line.indent === 0;
  let read: string | undefined;
  const match = (tried: readonly CompiledRule[] | undefined): CompiledRule | undefined =>
    tried && firstMatch(scan, tried, line, outer, (read ??= textOf(scan, line)));
  const rule =
    match(rules) ??
    match(members) ??
    match(outer || language.wordlessAnywhere ? language.wordless : undefined);
  if (rule?.opens !== undefined) openBlock(open, rule.opens, line.indent);
}

/**
 * A line for patterns to read, without the comments in it. Blanks side by side become one space: patterns have several
 * places that take blanks, and 400 of them could be shared out among these in thousands of ways.
 */
function textOf(scan: Scan, { first, end }: Line): string {
  const line = scan.text.toString('latin1', first, end);
  const text = scan.language.slashComments && line.includes('/') ? line.replace(SLASH_COMMENTS, ' ') : line;
  return text.length > FEW_WAYS && BLANKS.test(text) ? text.replace(ALL_BLANKS, ' ') : text;
}

/** Behind a blank, so that addresses in strings (`"https://…`) are none. */
const SLASH_COMMENTS = /\s\/(?:\/.*|\*.*?(?:\*\/|$))/g;
/** A line of so many characters has few ways to be read. */
const FEW_WAYS = 64;
const BLANKS = /\s\s/;
const ALL_BLANKS = /\s+/g;

/** Visits what the first rule that fits defines. */
function firstMatch(
  scan: Scan,
  rules: readonly CompiledRule[],
  line: Line,
  outer: boolean,
  text: string,
): CompiledRule | undefined {
  for (const rule of rules) {
    if (rule.place === 'top' ? line.indent > 0 : rule.place === 'outer' && !outer) continue;
    const match = rule.pattern.exec(text);
    if (match === null) continue;
    const name = match[1];
    const inner = innermost(scan.open);
    const inside = inner !== undefined && !inner.block.isNamespace && isMember(inner, line.indent);
    if (name !== undefined) scan.visit(line.number, inside ? rule.inside : rule.kind, name);
    return rule;
  }
  return undefined;
}

/** The offset behind the comment or string that the line begins and does not end; 0 where there is none. */
function endOfComment({ language, text }: Scan, line: Line): number {
  for (const { open, close } of language.blocks) {
    if (!startsWith(text, line.first, open)) continue;
    const at = text.indexOf(close, line.first + open.length);
    return at < 0 ? text.length : at >= line.end ? at + close.length : 0;
  }
  return 0;
}

function startsWith(text: Buffer, at: number, start: Buffer): boolean {
  for (let index = 0; index < start.length; index++) {
    if (text[at + index] !== start[index]) return false;
  }
  return true;
}
