import type { SearchableText } from './searchable-text.ts';
import type { Span } from './span.ts';

/** Characters before and after a match that are looked at. */
const NEIGHBOURHOOD = 200;

/** Modifiers and the word before a name that is being defined, in most languages. */
const DEFINING_WORD =
  /^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|declare|sealed|open|override|unsafe|extern|inline|virtual|data|partial|readonly|local|const|@\w+)\s+)*(?:func(?:\s*\([^)]*\))?|function\s*\*?|def|fn|fun|class|interface|struct|enum|trait|type|typedef|module|mod|namespace|package|record|object|protocol|impl|macro_rules!|#define|const(?:expr)?|let|var|val|static|defmodule|defp|sub|procedure|extension|message|service|rpc)\s+$/;
/** `public async name(args) {`, `int name(args) {`: modifiers before, a parameter list and a block behind. */
const MODIFIERS = /^\s*(?:[\w<>[\],.*&:?]+\s+)*\*?$/;
const BLOCK_FOLLOWS = /^(?:<[^>]*>)?\([^;]*(?:\{|=>|:)\s*$/;
const STATEMENT =
  /^\s*(?:if|for|while|switch|return|catch|else|await|throw|new|do|case|elif|assert|yield|in|not)\b/;

/** Whether the line round a match seems to define it, in languages whose symbols the index does not know. */
export function looksLikeDefinition(searched: SearchableText, span: Span): boolean {
  const lineStart = searched.startOfLine(span.start);
  if (span.start - lineStart > NEIGHBOURHOOD) return false;
  const before = searched.slice(lineStart, span.start);
  if (DEFINING_WORD.test(before)) return true;
  const after = searched.slice(span.end, Math.min(searched.endOfLine(span.end), span.end + NEIGHBOURHOOD));
  if (!after.startsWith('(') && !after.startsWith('<')) return false;
  return BLOCK_FOLLOWS.test(after.trimEnd()) && MODIFIERS.test(before) && !STATEMENT.test(before);
}
