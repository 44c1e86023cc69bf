import type { ComponentChildren, VNode } from 'preact';
import { el } from '../kit/html/element.ts';

/** The sources of an answer: the ids of their elements, by number. */
export type SourceIds = ReadonlyMap<number, string>;

/**
 * Renders the Markdown of an answer: paragraphs, lists, headings, fenced code, inline code and bold text. A number in
 * brackets becomes a link to that source, if the answer cites it. There are no other links, no images and no HTML:
 * their text is shown as it is.
 */
export function markdown(text: string, sources: SourceIds): readonly VNode[] {
  const lines = text.split('\n');
  const blocks: VNode[] = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = readBlock(lines, at, sources);
    if (block !== undefined) blocks.push(block);
    at = next;
  }
  return blocks;
}

const fence = /^(`{3,})[\w+-]*$/;
const item = /^\s*(?:[-*]|\d+\.)\s+/;
const heading = /^#{1,6}\s+/;

/** Reads the block that starts at a line. Returns it with the line after it. */
function readBlock(lines: readonly string[], at: number, sources: SourceIds): [VNode | undefined, number] {
  const line = lines[at] ?? '';
  if (line.trim() === '') return [undefined, at + 1];
  const opening = fence.exec(line)?.[1];
  if (opening !== undefined) {
    const closing = lines.indexOf(opening, at + 1);
    const end = closing < 0 ? lines.length : closing;
    const code = el('pre', { tabIndex: 0 }, el('code', null, lines.slice(at + 1, end).join('\n')));
    return [code, end + 1];
  }
  if (heading.test(line)) return [el('h3', null, ...inline(line.replace(heading, ''), sources)), at + 1];
  const isItem = item.test(line);
  let end = at + 1;
  while (end < lines.length && continues(lines[end] ?? '', isItem)) end += 1;
  const taken = lines.slice(at, end);
  if (!isItem) return [el('p', null, ...inline(taken.join(' '), sources)), end];
  const items = taken.map((each) => el('li', null, ...inline(each.replace(item, ''), sources)));
  return [el('ul', null, ...items), end];
}

function continues(line: string, isItem: boolean): boolean {
  if (isItem) return item.test(line);
  return line.trim() !== '' && !fence.test(line) && !item.test(line) && !heading.test(line);
}

/** Inline code, bold text, the number of a source, and an escaped character. */
const pieces = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(.+?)\*\*|\[(\d{1,3})\]|\\([\\`*_{}[\]()<>#!|~.+-])/g;

function inline(text: string, sources: SourceIds): readonly ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(pieces)) {
    const [whole, , code, bold, number, escaped] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) parts.push(el('code', null, code.trim()));
    else if (bold !== undefined) parts.push(el('strong', null, ...inline(bold, sources)));
    else if (number !== undefined) parts.push(reference(Number(number), sources));
    else parts.push(escaped);
  }
  parts.push(text.slice(end));
  return parts;
}

function reference(n: number, sources: SourceIds): ComponentChildren {
  const id = sources.get(n);
  if (id === undefined) return `[${n}]`;
  return el('a', { href: `#${id}`, 'aria-label': `Source ${n}` }, `[${n}]`);
}
