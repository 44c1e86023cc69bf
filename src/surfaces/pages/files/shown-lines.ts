import type { SourceText } from '../../../features/search/read-source.ts';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import { type ColouredLine, colouredLines } from './colours/coloured-lines.ts';

/** Maximum sizes in characters of HTML: of all lines of a page, and of one line. */
const limits = { page: 30_000, line: 5_000 } as const;

/** Characters of HTML around each line and around each part with a colour. */
const markup = { line: 45, part: 7 } as const;

/**
 * Returns the lines of a part of a file, with colours. Leaves out the last ones if the page would become too large, and
 * the end of a very long line.
 *
 * @param whole the text of the whole file
 */
export function shownLines(part: SourceText, whole: string): readonly ColouredLine[] {
  const { content, language, startLine, endLine } = part;
  const above = visibleText(whole.slice(0, lineStart(whole, startLine)));
  const lines = colouredLines(language, above + visibleText(content), above.length)
    .slice(0, endLine - startLine + 1)
    .map(shortened);
  let size = 0;
  const tooMany = lines.findIndex((line) => {
    size += htmlSize(line);
    return size > limits.page;
  });
  return tooMany < 0 ? lines : lines.slice(0, Math.max(1, tooMany));
}

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let number = 1; number < line; number += 1) at = text.indexOf('\n', at) + 1;
  return at;
}

function shortened(line: ColouredLine): ColouredLine {
  const text = line.map((part) => part.text).join('');
  if (text.length <= limits.line) return line;
  const rest = text.length - limits.line;
  const note = `… ${rest.toLocaleString('en')} more characters`;
  return [{ text: `${text.slice(0, limits.line).toWellFormed()} ${note}`, colour: undefined }];
}

function htmlSize(line: ColouredLine): number {
  let size: number = markup.line;
  for (const { text, colour } of line) {
    size += Buffer.byteLength(text) + (colour === undefined ? 0 : markup.part);
    for (const character of text)
      if (character === '"' || character === '&') size += 5;
      else if (character === '<') size += 3;
  }
  return size;
}
