import type { Code } from '../language.ts';
import type { Span } from '../parse/enclosing.ts';

/** Returns the scripts of a component. */
export function scriptsOf(text: string): Code {
  return { text: onlySpans(text, scriptElements(text, 0)) };
}

/** Returns the scripts of an Astro component: the code between two lines of hyphens at its beginning, and elements. */
export function scriptsOfAstro(text: string): Code {
  const opening = /^\s*---/.exec(text)?.[0].length;
  const end = opening === undefined ? -1 : text.indexOf('\n---', opening);
  if (opening === undefined || end < 0) return scriptsOf(text);
  return { text: onlySpans(text, [{ start: opening, end }, ...scriptElements(text, end)]) };
}

/** Returns the spans of a text with blanks in place of what is before and between them, on the same lines. */
function onlySpans(text: string, spans: Iterable<Span>): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(blank(text.slice(at, start)), text.slice(start, end));
    at = end;
  }
  return parts.join('');
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

const scriptLanguage =
  /^(?:(?:text|application)\/)?(?:javascript|typescript|ecmascript|babel|module|[jt]sx?)$/i;

/** Yields the contents of the script elements after an offset, but not those of data and of other languages. */
function* scriptElements(text: string, from: number): Generator<Span, void> {
  const opening = /<!--|<script(?=[\s>])/gi;
  const closing = /<\/script/gi;
  opening.lastIndex = from;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    if (found[0] === '<!--') {
      const end = text.indexOf('-->', opening.lastIndex);
      if (end < 0) return;
      opening.lastIndex = end;
      continue;
    }
    const start = endOfTag(text, opening.lastIndex);
    if (start === undefined) return;
    const attributes = text.slice(opening.lastIndex, start - 1);
    opening.lastIndex = start;
    if (attributes.endsWith('/')) continue;
    closing.lastIndex = start;
    const end = closing.exec(text)?.index ?? text.length;
    const language = /\b(?:lang|type)\s*=\s*["']?([\w/.+-]+)/i.exec(attributes)?.[1];
    if (language === undefined || scriptLanguage.test(language)) yield { start, end };
    opening.lastIndex = end;
  }
}

/** Returns the offset after the tag around an offset. A quoted value may contain the character that ends a tag. */
function endOfTag(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '>') return at + 1;
    if (character !== '"' && character !== "'") continue;
    at = text.indexOf(character, at + 1);
    if (at < 0) return undefined;
  }
  return undefined;
}
