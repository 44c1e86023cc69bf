import type { Definition, LineSpan, RankedDefinition } from '../port.ts';

/** A definition whose last line is not known yet. */
interface OpenDefinition {
  readonly definition: Definition;
  readonly indent: number;
  /** True once a line at its indentation has opened braces, which a closing one must end. */
  hasBraces: boolean;
}

const opensBraces = /\{\s*$/;
const continues = /(?:[{([:=,]|=>|->)\s*$/;
const closes = /^(?:[)}\]]|end\b)/;
/** Starts of lines that continue a head: braces on their own line, operators, text in quotes. */
const continuesHead = /^(?:[)}\]{>|&=+?:.#]|"""|'''|->)/;
/** Lines of a comment, decorator or attribute. A directive of the C preprocessor is none. */
const attached = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif|else|import)|@\w|--|;;|%%|\[\w|"""|''')/;
const comment = /^\s*(?:\/\/|\/\*|\*|#(?!!|\[|include|define|if|endif|else|import)|--|;;|%%)/;
const docstring = /^\s*[rRuU]?("""|''')/;
const maxHeadLines = 12;

/**
 * Returns the definitions of a text with the lines that belong to them, judged by indentation and braces: no parser is
 * needed, and a text of any shape takes one pass. `definitions` are in line order.
 */
export function definitionExtents(
  lines: readonly string[],
  definitions: readonly Definition[],
): RankedDefinition[] {
  const ends = lastLines(lines, definitions);
  let floor = 0;
  return definitions.map((definition, index) => {
    const startLine = startOfComments(lines, definition.line, floor);
    floor = definition.line;
    const endLine = Math.max(definition.line, ends[index] ?? definition.line);
    const doc = docOf(lines, { startLine, line: definition.line, endLine });
    return { ...definition, startLine, endLine, ...(doc === undefined ? {} : { doc }) };
  });
}

function lastLines(lines: readonly string[], definitions: readonly Definition[]): number[] {
  const ends = definitions.map(({ line }) => line);
  const open: (OpenDefinition & { readonly index: number })[] = [];
  let next = 0;
  let lastText = 0;
  lines.forEach((text, at) => {
    const number = at + 1;
    const indent = indentOf(text);
    if (indent < text.length) {
      for (let top = open.at(-1); top !== undefined && indent <= top.indent; top = open.at(-1)) {
        const step = stepOf(top, text.trimStart(), indent);
        if (step === 'stays') break;
        ends[top.index] = step === 'closed' ? number : lastText;
        open.pop();
      }
      lastText = number;
    }
    for (; definitions[next]?.line === number; next++) {
      open.push({ definition: definitions[next]!, index: next, indent, hasBraces: opensBraces.test(text) });
    }
  });
  for (const { index } of open) ends[index] = lastText;
  return ends;
}

/** Decides what a line that is not indented further than a definition means for it. */
function stepOf(open: OpenDefinition, text: string, indent: number): 'closed' | 'ended' | 'stays' {
  if (indent < open.indent) return 'ended';
  if (closes.test(text) && !continues.test(text)) return 'closed';
  if (!open.hasBraces && !continuesHead.test(text)) return 'ended';
  open.hasBraces ||= opensBraces.test(text);
  return 'stays';
}

function startOfComments(lines: readonly string[], line: number, floor: number): number {
  let start = line;
  while (start - 1 > floor && attached.test(lines[start - 2] ?? '')) start--;
  return start;
}

/** Returns the comment above a definition, or the text in quotes with which its body starts. */
function docOf(
  lines: readonly string[],
  { startLine, line, endLine }: { startLine: number; line: number; endLine: number },
): LineSpan | undefined {
  let first = startLine;
  while (first < line && !comment.test(lines[first - 1] ?? '')) first++;
  let last = line - 1;
  while (last >= first && !comment.test(lines[last - 1] ?? '')) last--;
  if (first < line && last >= first) return { startLine: first, endLine: last };
  return docstringAfter(lines, line, endLine);
}

function docstringAfter(lines: readonly string[], line: number, endLine: number): LineSpan | undefined {
  const limit = Math.min(endLine, line + maxHeadLines);
  for (let at = line + 1; at <= limit; at++) {
    const text = lines[at - 1] ?? '';
    const quotes = docstring.exec(text)?.[1];
    if (quotes === undefined) continue;
    if (text.indexOf(quotes, text.indexOf(quotes) + 3) >= 0) return { startLine: at, endLine: at };
    for (let end = at + 1; end <= endLine; end++) {
      if (lines[end - 1]?.includes(quotes) === true) return { startLine: at, endLine: end };
    }
    return undefined;
  }
  return undefined;
}

function indentOf(line: string): number {
  const at = line.search(/\S/);
  return at < 0 ? line.length : at;
}
