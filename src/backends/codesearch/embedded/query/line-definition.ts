import type { SearchableText } from './text/searchable-text.ts';
import type { Span } from './text/span.ts';

/** Number of characters before and after a match that are examined. */
const maxContextLength = 200;

/** Modifiers and the keyword before the name in a definition, in most languages. */
const definingWord =
  /^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|declare|sealed|open|override|unsafe|extern|inline|virtual|data|partial|readonly|local|const|@\w+)\s+)*(?:func(?:\s*\([^)]*\))?|function(?:\s*\*)?|def|fn|fun|class|interface|struct|enum|trait|type|typedef|module|mod|namespace|package|record|object|protocol|impl|macro_rules!|#define|const(?:expr)?|let|var|val|static|defmodule|defp|sub|procedure|extension|message|service|rpc)\s+$/;
/**
 * `public async name(args) {`, `int name(args) {`: modifiers before the name, a parameter list and a block after it.
 */
const modifiers = /^\s*(?:[\w<>[\],.*&:?]+\s+)*\*?$/;
const blockFollows = /^(?:<[^>]*>)?\([^;]*(?:\{|=>|:)\s*$/;
const statement =
  /^\s*(?:if|for|while|switch|return|catch|else|await|throw|new|do|case|elif|assert|yield|in|not)\b/;

/**
 * Returns whether the line of a match looks like its definition. For documents whose definitions the index
 * does not contain.
 */
export function looksLikeDefinition(searched: SearchableText, span: Span): boolean {
  const lineStart = searched.startOfLine(span.start);
  if (span.start - lineStart > maxContextLength) return false;
  const before = searched.slice(lineStart, span.start);
  if (definingWord.test(before)) return true;
  const after = searched.slice(span.end, Math.min(searched.endOfLine(span.end), span.end + maxContextLength));
  if (!after.startsWith('(') && !after.startsWith('<')) return false;
  return blockFollows.test(after.trimEnd()) && modifiers.test(before) && !statement.test(before);
}
