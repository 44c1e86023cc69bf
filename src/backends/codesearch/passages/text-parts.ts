/** The kinds of text in a file. */
export const textKind = { code: 0, comment: 1, string: 2 } as const;

const hashComments =
  /^(?:Python|Ruby|Shell|YAML|TOML|Perl|R|Elixir|Makefile|Dockerfile|CMake|PHP|HCL|Starlark)$/;
const dashComments = /^(?:Lua|SQL|Haskell)$/;
const noSlashComments =
  /^(?:Python|Ruby|Shell|YAML|TOML|Perl|R|Elixir|Makefile|Dockerfile|CMake|Lua|SQL|Haskell|Starlark)$/;
const backtickTexts = /^(?:Go|JavaScript|TypeScript|TSX|JSX|Vue|Svelte)$/;
const tripleQuotes = /^(?:Python|Kotlin|Java|Scala|C#|Swift|Starlark)$/;
/** In these languages an apostrophe is no quote, or more often something else. */
const noSingleQuotes = /^(?:Rust|Markdown|MDX|reStructuredText|AsciiDoc|Org|Text|HTML)$/;

const newline = 0x0a;
const backslash = 0x5c;
const slash = 0x2f;
const star = 0x2a;
const hash = 0x23;
const dash = 0x2d;
const doubleQuote = 0x22;
const singleQuote = 0x27;
const backtick = 0x60;

/** Bytes at which a comment or a text in quotes may start. */
const interesting = Uint8Array.from({ length: 256 }, (_, byte) =>
  [slash, hash, dash, doubleQuote, singleQuote, backtick].includes(byte) ? 1 : 0,
);

/** Calls `visit` with each stretch of code, comment or text in quotes, in order. They cover the text. */
export function eachTextPart(
  text: Buffer,
  language: string,
  visit: (from: number, to: number, kind: number) => void,
): void {
  const endAt = partEnds(text, language);
  let from = 0;
  for (let at = 0; at < text.length; ) {
    if (interesting[text[at]!] === 0) {
      at++;
      continue;
    }
    const part = endAt(at);
    if (part === undefined) {
      at++;
      continue;
    }
    if (at > from) visit(from, at, textKind.code);
    visit(at, part.end, part.kind);
    at = part.end;
    from = at;
  }
  if (from < text.length) visit(from, text.length, textKind.code);
}

interface Part {
  readonly end: number;
  readonly kind: number;
}

/** Returns a function that tells where the comment or the text in quotes ends that starts at a byte, if one does. */
function partEnds(text: Buffer, language: string): (at: number) => Part | undefined {
  const comment = commentEnds(text, language);
  const hasTriple = tripleQuotes.test(language);
  const quotes = new Set([
    doubleQuote,
    ...(noSingleQuotes.test(language) ? [] : [singleQuote]),
    ...(backtickTexts.test(language) ? [backtick] : []),
  ]);
  return (at) => {
    const byte = text[at]!;
    if (!quotes.has(byte)) return comment(at);
    if (hasTriple && text[at + 1] === byte && text[at + 2] === byte) {
      const mark = byte === singleQuote ? "'''" : '"""';
      return { end: endAfter(text, mark, at + 3), kind: textKind.string };
    }
    return quoted(text, at);
  };
}

/** Returns a function that tells where the comment ends that starts at a byte, if one does. */
function commentEnds(text: Buffer, language: string): (at: number) => Part | undefined {
  const hasHash = hashComments.test(language);
  const hasDash = dashComments.test(language);
  const hasSlash = !noSlashComments.test(language);
  return (at) => {
    const byte = text[at];
    const next = text[at + 1];
    const isLine =
      (hasSlash && byte === slash && next === slash) ||
      (hasHash && byte === hash) ||
      (hasDash && byte === dash && next === dash);
    if (isLine) return { end: indexOrEnd(text, newline, at), kind: textKind.comment };
    const isBlock = hasSlash && byte === slash && next === star;
    return isBlock ? { end: endAfter(text, '*/', at + 2), kind: textKind.comment } : undefined;
  };
}

/** Maximum length of a text in quotes, in bytes: each quote that nothing ends is read as far. */
const maxQuoted = 1_000;

/** Returns a text in quotes that ends on its line, or anywhere if it is in backticks. */
function quoted(text: Buffer, at: number): Part | undefined {
  const quote = text[at];
  const stop = quote === backtick ? quote : newline;
  const last = Math.min(text.length, at + maxQuoted);
  let end = at + 1;
  while (end < last && text[end] !== quote && text[end] !== stop) end += text[end] === backslash ? 2 : 1;
  return text[end] === quote ? { end: end + 1, kind: textKind.string } : undefined;
}

function indexOrEnd(text: Buffer, byte: number, from: number): number {
  const found = text.indexOf(byte, from);
  return found < 0 ? text.length : found;
}

function endAfter(text: Buffer, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}
