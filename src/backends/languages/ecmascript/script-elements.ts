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
function onlySpans(text: string, spans: readonly Span[]): string {
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

/**
 * A comment, or a script element with its attributes and its content. A quoted value may contain the character that
 * ends a tag. What never ends is one up to the end of the text.
 */
const commentOrScript =
  /<!--[^]*?(?:-->|$)|<script(?=[\s>])((?:[^"'>]+|"[^"]*(?:"|$)|'[^']*(?:'|$))*)(?:(?<=\/)>|>([^]*?)(?:<\/script|$)|$)/dgi;

/** Returns the contents of the script elements after an offset, but not those of data and of other languages. */
function scriptElements(text: string, from: number): readonly Span[] {
  return [...text.slice(from).matchAll(commentOrScript)].flatMap(({ 1: attributes = '', indices }) => {
    const content = indices?.[2];
    const language = /\b(?:lang|type)\s*=\s*["']?([\w/.+-]+)/i.exec(attributes)?.[1];
    const isScript = language === undefined || scriptLanguage.test(language);
    return content !== undefined && isScript ? [{ start: from + content[0], end: from + content[1] }] : [];
  });
}
