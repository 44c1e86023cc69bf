import { maxLineLength, maxLinesExamined } from '../../sources/excerpt.ts';
import { withoutMarkers } from '../../text/first-sentence.ts';

const comment =
  /^\s*(?:\/\/|\/\*|\*(?=\s)|#(?![![]|include|define|if|end|elif|else|pragma|[A-Za-z_$]+[({.=])|--\s)/u;
/** Comments that are for tools, and code that is switched off. */
const noProse =
  /^(?:@|eslint|biome|oxlint|noqa|type:|pylint|pragma|nolint|TODO|FIXME|XXX|region|endregion)|[;{}]$/u;

/**
 * Returns the comments in a range of lines (1-based, inclusive): each run of comment lines as one text. Reads the first
 * 400 lines, and the first 400 characters of each.
 */
export function commentsOf({
  lines,
  from,
  to,
}: {
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
}): readonly { readonly line: number; readonly text: string }[] {
  const found: { line: number; parts: string[] }[] = [];
  let current: { line: number; parts: string[] } | undefined;
  for (let at = from; at <= Math.min(to, lines.length, from + maxLinesExamined - 1); at++) {
    const text = (lines[at - 1] ?? '').slice(0, maxLineLength);
    if (!comment.test(text)) {
      current = undefined;
      continue;
    }
    if (current === undefined) found.push((current = { line: at, parts: [] }));
    const plain = withoutMarkers(text);
    if (plain !== '' && !noProse.test(plain)) current.parts.push(plain);
  }
  return found.map(({ line, parts }) => ({ line, text: parts.join(' ') })).filter(({ text }) => text !== '');
}
