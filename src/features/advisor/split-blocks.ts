import { definitionIn } from './definition.ts';

/**
 * Lines of a file that belong together: a definition with its comment, a section, a paragraph. 0-based, end
 * exclusive.
 */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** Where the definition or heading itself stands; `start` otherwise. */
  readonly head: number;
  /** What it defines or how the section is headed; absent for other text. */
  readonly name?: string;
  readonly kind: string;
}

const prose = new Set(['Markdown', 'MDX', 'reStructuredText', 'AsciiDoc', 'Org', 'Text']);
/** Formats in which a word such as `type` or `service` defines nothing. */
const data = new Set([
  'JSON',
  'JSON with Comments',
  'JSON5',
  'YAML',
  'TOML',
  'INI',
  'CSV',
  'TSV',
  'XML',
  'SVG',
  'HTML',
  'CSS',
  'SCSS',
  'Less',
  'Diff',
  'Dotenv',
  'Ignore List',
  'Dockerfile',
  'Jupyter Notebook',
]);

/** Paragraphs are gathered until they have this many lines. */
const enoughLines = 12;

/** Cuts a file into blocks that cover it, blank edges aside, in order. */
export function splitBlocks(lines: readonly string[], language: string): Block[] {
  const heads = prose.has(language) ? headings(lines) : data.has(language) ? [] : definitions(lines);
  if (heads.length === 0) return paragraphs(lines, 0, lines.length);
  const before = paragraphs(lines, 0, heads[0]?.start ?? 0);
  const blocks = heads.flatMap((head, index) => {
    const limit = heads[index + 1]?.start ?? lines.length;
    const end = head.kind === 'section' ? limit : endOfBody(lines, head.head, limit);
    return [{ ...head, end }, ...paragraphs(lines, end, limit)];
  });
  return [...before, ...blocks].flatMap((block) => trimmed(lines, block));
}

type Head = Omit<Block, 'end'>;

function definitions(lines: readonly string[]): Head[] {
  const heads: Head[] = [];
  for (const [head, line] of lines.entries()) {
    const definition = definitionIn(line);
    if (definition === undefined) continue;
    heads.push({ start: commentStart(lines, head, heads.at(-1)?.head ?? -1), head, ...definition });
  }
  return heads;
}

/**
 * Where a definition ends: with the line that closes its braces, or, in languages without, before the first line that
 * is not indented deeper than its head. Labels and text at the margin do not end a body in braces.
 */
function endOfBody(lines: readonly string[], head: number, limit: number): number {
  const margin = indentOf(lines[head] ?? '');
  let hasBraces = opens.test(lines[head] ?? '');
  for (let at = head + 1; at < limit; at++) {
    const line = lines[at] ?? '';
    if (isBlank(line) || indentOf(line) > margin) continue;
    if (closes.test(line) && !goesOn.test(line)) return at + 1;
    if (!hasBraces && !continuesHead.test(line)) return at;
    hasBraces ||= opens.test(line);
  }
  return limit;
}

const opens = /\{\s*$/u;
const goesOn = /(?:[{([:=,]|=>|->)\s*$/u;
const closes = /^\s*(?:[)}\]]|end\b)/u;
const continuesHead = /^\s*(?:[)}\]{>|&=+?:.#]|"""|\x27\x27\x27|->)/u;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Comments, decorators and attributes right above a definition belong to it. */
function commentStart(lines: readonly string[], head: number, floor: number): number {
  let start = head;
  while (start - 1 > floor && isAttached(lines[start - 1] ?? '')) start -= 1;
  return start;
}

export function isAttached(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif|else|import)|@\w|--|;;|%%|\[\w|"""|''')/u.test(
    line,
  );
}

function headings(lines: readonly string[]): Head[] {
  const heads: Head[] = [];
  let isFenced = false;
  for (const [at, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/u.test(line)) isFenced = !isFenced;
    if (isFenced) continue;
    const name = headingIn(line, lines[at + 1] ?? '');
    if (name !== undefined) heads.push({ start: at, head: at, name, kind: 'section' });
  }
  return heads;
}

/** `# Title`, `== Title`, `* Title` of Org is left out (a list), or a title underlined with `===` or `---`. */
function headingIn(line: string, next: string): string | undefined {
  const marked = /^(?:#{1,6}|={1,6})\s+(\S.{0,200})$/u.exec(line)?.[1];
  if (marked !== undefined) return marked.replace(/[\s#=]+$/u, '');
  const isUnderlined = /^(?:={3,}|-{3,}|~{3,})\s*$/u.test(next) && /^\w/u.test(line) && line.length <= 120;
  return isUnderlined ? line.trim() : undefined;
}

function paragraphs(lines: readonly string[], from: number, to: number): Block[] {
  const blocks: Block[] = [];
  let start = from;
  for (let at = from; at <= to; at++) {
    const isBreak = at === to || (isBlank(lines[at]) && at - start >= enoughLines) || at - start >= 40;
    if (!isBreak) continue;
    blocks.push({ start, end: at, head: start, kind: 'text' });
    start = at;
  }
  return blocks.flatMap((block) => trimmed(lines, block));
}

/** Without blank lines at its edges; none at all when nothing is left. */
function trimmed(lines: readonly string[], block: Block): Block[] {
  let { start, end } = block;
  while (start < end && isBlank(lines[start])) start += 1;
  while (end > start && isBlank(lines[end - 1])) end -= 1;
  return start === end ? [] : [{ ...block, start, end, head: Math.max(start, block.head) }];
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}
