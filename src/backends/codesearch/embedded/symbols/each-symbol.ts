import type { SymbolKind } from '../../port.ts';
import { type CompiledLanguage, type CompiledRule, startFlags } from './compile-rules.ts';
import { rowFields, startBits } from './line-module.ts';
import type { LineScanner } from './line-scanner.ts';
import { closeBlocks, innermost, isMember, type OpenBlock, openBlock } from './open-blocks.ts';

/** Maximum length of a line, in characters. Longer lines are data or minified, and are skipped. */
const maxLineLength = 512;

/** Maximum processor time per text, in milliseconds: far more than 1 MiB of ordinary text takes. */
const maxTextMs = 250;
/** Number of lines read between two checks of the time; a power of two. */
const linesPerTimeCheck = 16;

const carriageReturn = 0x0d;

/** Receives a definition: 1-based line, kind, and the name with its bytes as latin1. */
export type VisitSymbol = (line: number, kind: SymbolKind, name: string) => void;

/** The state of a scan. */
interface Scan {
  readonly language: CompiledLanguage;
  readonly text: Buffer;
  readonly visit: VisitSymbol;
  readonly open: OpenBlock[];
  /** Lines that start before this offset are in a comment or a string. */
  resume: number;
}

interface Line {
  readonly number: number;
  readonly indent: number;
  /** The offset after the indentation. */
  readonly first: number;
  readonly end: number;
  readonly begins: number;
}

/**
 * Finds the definitions of a text, line by line in order. There is no parser: the first word of a line selects the
 * patterns that are tried, and indentation shows the nesting. Of several names defined on one line, only the first is
 * found. Patterns are written so that no line takes long. If one does, the extraction ends after `milliseconds` of
 * processor time of this thread, since its process also serves other requests.
 */
export function eachSymbol(
  scanner: LineScanner,
  language: CompiledLanguage,
  text: Buffer,
  visit: VisitSymbol,
  milliseconds = maxTextMs,
): void {
  scanner.begin(language, text);
  try {
    readLines(scanner, { language, text, visit, open: [], resume: 0 }, cpuTimeLimit(milliseconds));
  } finally {
    scanner.end();
  }
}

function readLines(scanner: LineScanner, scan: Scan, isTimedOut: () => boolean): void {
  const { language, text } = scan;
  let number = 0;
  // This loop runs for every line of every indexed text; work that most lines do not need is in `readLine`.
  for (let rows = scanner.next(); rows.length > 0; rows = scanner.next()) {
    for (let row = 0; row < rows.length; row += rowFields.length) {
      number++;
      const begins = rows[row + rowFields.begins]!;
      const indent = rows[row + rowFields.indent]!;
      const slot = begins >>> startBits;
      if (slot === 0 && !mustRead(scan, begins, indent)) continue;
      const first = rows[row + rowFields.first]!;
      const end = rows[row + rowFields.end]!;
      if (first === end || first - indent < scan.resume) continue;
      const trimmed = text[end - 1] === carriageReturn ? end - 1 : end;
      if (first === trimmed) continue;
      const line = { number, indent, first, end: trimmed, begins };
      readLine(scan, line, slot === 0 ? undefined : language.rulesBySlot[slot - 1]);
      if (isTimedOut()) return;
    }
  }
}

/**
 * Returns a function that reports whether the time is used up. It is called after each line that is read. It measures
 * processor time, so that a busy machine loses no definitions. Reading the processor time takes longer than most
 * texts, so the first half of the time is measured by the clock, and only the second half as processor time.
 */
function cpuTimeLimit(milliseconds: number): () => boolean {
  const half = milliseconds / 2;
  let lines = 0;
  let until = Number.POSITIVE_INFINITY;
  let used: NodeJS.CpuUsage | undefined;
  return () => {
    if ((++lines & (linesPerTimeCheck - 1)) !== 0) return false;
    const now = performance.now();
    if (lines === linesPerTimeCheck) until = now + half;
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

/** Returns whether a line must be read although its first word selects no rules. */
function mustRead({ language, open }: Scan, begins: number, indent: number): boolean {
  if ((begins & startFlags.block) !== 0) return true;
  const inner = innermost(open);
  // A line that is indented further than the members of a block is not a member and does not end the block.
  if (inner !== undefined && (indent <= inner.members || language.wordlessAnywhere)) return true;
  return language.wordless.length > 0 && (indent === 0 || language.wordlessAnywhere);
}

function readLine(scan: Scan, line: Line, rules: readonly CompiledRule[] | undefined): void {
  const { language, text, open } = scan;
  if ((line.begins & startFlags.block) !== 0) {
    scan.resume = endOfComment(scan, line);
    if (scan.resume > 0) return;
  }
  if (open.length > 0) closeBlocks(open, line.indent, text[line.first]!, text[line.end - 1]!);
  if (line.begins === 0 || line.end - line.first > maxLineLength) return;
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
 * Returns a line for matching, without its comments. Adjacent blanks become one space: patterns match blanks in
 * several places, and 400 of them could be distributed among these in thousands of ways.
 */
function textOf(scan: Scan, { first, end }: Line): string {
  const line = scan.text.toString('latin1', first, end);
  const text = scan.language.slashComments && line.includes('/') ? line.replace(slashComment, ' ') : line;
  return text.length > maxUncollapsedLength && blanks.test(text) ? text.replace(allBlanks, ' ') : text;
}

/** Comments after a blank. Addresses in strings (`"https://…`) do not match. */
// bounded: at most 511 characters (longer lines are skipped)
const slashComment = /\s\/(?:\/.*|\*.*?(?:\*\/|$))/g;
/** Maximum length of a line whose blanks are kept. Such a line has few ways to match. */
const maxUncollapsedLength = 64;
const blanks = /\s\s/;
const allBlanks = /\s+/g;

/** Reports the definition of the first rule that matches, and returns the rule. */
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

/**
 * Returns the offset after a comment or string that starts on the line and ends on a later one, or 0 if there is
 * none.
 */
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
