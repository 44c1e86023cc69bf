import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

const maxSentenceLength = 240;
const maxParagraphLength = 2000;

/** Returns the first sentence of a text; `undefined` if the text has none that says something. */
export function firstSentence(text: string): string | undefined {
  const flat = visibleLine(text.slice(0, 2000))
    .replaceAll(/\s+/gu, ' ')
    .replace(/(?:^|\s)@\w[^]*$/u, '')
    .trim();
  const end = /[.!?](?=\s+(?:[\p{Lu}`"([]|\.\. |:\w)|$)/u.exec(flat);
  const sentence = end === null ? flat : flat.slice(0, end.index + 1);
  if (sentence.length < 12 || !/\p{L}{2}\s+\p{L}{2}/u.test(sentence) || isNotice.test(sentence))
    return undefined;
  return sentence.length <= maxSentenceLength
    ? sentence
    : `${sentence.slice(0, maxSentenceLength).replace(/\s+\S*$/u, '')}…`;
}

const isNotice =
  /eslint|SPDX|copyright|licen[sc]ed? under|@(?:ts|type)-?\w*ignore|noqa|biome-ignore|oxlint/iu;

const closers = ['*/', '"""', "'''"] as const;

/** Returns a line of a comment or docstring without its markers. */
export function withoutMarkers(line: string): string {
  const text = line
    .trim()
    .replace(/^[rRuU]?(?:\/{2,}!?|\/\*{1,2}|\*(?!\/)|#+|--+|;{2,}|%%|"""|''')+\s?/u, '')
    .trim();
  const close = closers.find((one) => text.endsWith(one)) ?? '';
  return text.slice(0, text.length - close.length).trim();
}

/**
 * Returns the first paragraph of a comment or docstring, as plain words: the markup of references is removed. A
 * heading, a list of parameters or a sample ends it.
 */
export function paragraphOf(lines: readonly string[]): string {
  const paragraph: string[] = [];
  let left = maxParagraphLength;
  for (const line of lines) {
    const text = withoutMarkers(line.slice(0, maxParagraphLength));
    const isEnd =
      text === '' ||
      /^(?:#{1,6} |```|~~~|\.\. |:(?:param|type|returns?|rtype|raises?|arg|keyword|yields?)\b|@\w|<\/?p>|>>> |[-=~]{3,}$)/u.test(
        text,
      );
    if ((isEnd && paragraph.length > 0) || left <= 0) break;
    if (isEnd) continue;
    paragraph.push(text);
    left -= text.length;
  }
  return paragraph
    .join(' ')
    .replaceAll(/:[\w:+-]{1,40}:`~?([^`<]{1,199}[^`< ]) ?(?:<[^`]*)?`/gu, '`$1`')
    .replaceAll(/\[(`[^`\]]{1,200}`)\](?:\[[^\]]{0,200}\]|\([^)]{0,200}\))?/gu, '$1');
}

/** Returns the first paragraph of a section: no heading, list, table, image or sample. */
export function proseOf(lines: readonly string[]): string {
  const paragraph: string[] = [];
  let isFenced = false;
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    if (/^(?:```|~~~)/u.test(text)) isFenced = !isFenced;
    const isHeading = /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/u.test(lines[at + 1]?.trim() ?? '');
    const isProse =
      !isFenced &&
      !isHeading &&
      /^[\p{L}\p{N}`*_"“(]/u.test(text) &&
      !/^(?:\[!\[|!\[|\||```|\* |\d+[.)] )/u.test(text) &&
      !/^(?: {4}|\t)/u.test(line);
    if (!isProse && paragraph.length > 0) break;
    if (isProse) paragraph.push(text);
  }
  return paragraph.join(' ');
}
