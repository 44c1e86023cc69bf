import { type Block, isAttached } from './split-blocks.ts';

const longestSentence = 240;

/** The first sentence of what the author says a block is: its doc comment, docstring or first line of prose. */
export function summaryOf(lines: readonly string[], block: Block): string | undefined {
  const text = block.kind === 'section' ? proseAfter(lines, block) : commentOf(lines, block);
  const sentence = firstSentence(text);
  return sentence.length >= 12 && /\p{L}{2,}\s+\p{L}{2,}/u.test(sentence) ? sentence : undefined;
}

function commentOf(lines: readonly string[], block: Block): string {
  const stripped = commentLines(lines, block)
    .filter((line) => !/^\s*(?:@\w|#!|\[\w|#\[|\*\s*@\w)|eslint|SPDX|copyright|licen[sc]e/iu.test(line))
    .map(withoutMarkers)
    .filter((line) => line !== '');
  return stripped.length > 0 ? stripped.join(' ') : docstringAfter(lines, block);
}

/** Above the head of a definition; of other text, only what it begins with. */
function commentLines(lines: readonly string[], block: Block): readonly string[] {
  if (block.kind !== 'text') return lines.slice(block.start, block.head).filter(isAttached);
  const text = lines.slice(block.start, block.end);
  const end = text.findIndex((line) => !isAttached(line));
  return end < 0 ? text : text.slice(0, end);
}

function withoutMarkers(line: string): string {
  return line
    .trim()
    .replace(/^(?:\/{2,}!?|\/\*{1,2}|\*(?!\/)|#+|--+|;{2,}|%%|"""|''')+\s?/u, '')
    .replace(/\s*(?:\*\/|""")\s*$/u, '')
    .trim();
}

/** Python writes it inside, right after the head. */
function docstringAfter(lines: readonly string[], block: Block): string {
  const after = lines.slice(block.head + 1, Math.min(block.end, block.head + 12));
  const opening = after.findIndex((line) => /^\s*[rR]?(?:"""|''')/u.test(line));
  if (opening < 0) return '';
  const text = after
    .slice(opening)
    .join(' ')
    .trim()
    .replace(/^[rR]?(?:"""|''')\s*/u, '');
  return text.split(/"""|'''/u, 1)[0] ?? '';
}

function proseAfter(lines: readonly string[], block: Block): string {
  const paragraph: string[] = [];
  for (const line of lines.slice(block.head + 1, block.end)) {
    const text = line.trim();
    const isProse = /^[\p{L}\p{N}`*_"“[(]/u.test(text) && !/^(?:\[!\[|!\[|\||```)/u.test(text);
    if (!isProse && paragraph.length > 0) break;
    if (isProse) paragraph.push(text);
  }
  return paragraph.join(' ');
}

function firstSentence(text: string): string {
  const flat = text
    .slice(0, 2000)
    .replaceAll(/\s+/gu, ' ')
    .replace(/(?:^|\s)@\w.*$/u, '')
    .trim();
  const end = /[.!?](?=\s+[\p{Lu}`"([]|$)/u.exec(flat);
  const sentence = end === null ? flat : flat.slice(0, end.index + 1);
  return sentence.length <= longestSentence
    ? sentence
    : `${sentence.slice(0, longestSentence).replace(/\s+\S*$/u, '')}…`;
}
