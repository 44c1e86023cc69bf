import { maxLineLength } from '../../sources/excerpt.ts';

/** The kind of use that a line makes of a name. */
export type UseKind =
  /** Declares it: `def name`, `const NAME = 1`, `NAME = 1` at the start of a line. */
  | 'definition'
  /** Gives it a value elsewhere: `x.name = 1`, `{ name: 1 }`, `f(name=1)`, `set("name", 1)`. */
  | 'set'
  | 'read'
  /** Imports it, or lists it: a line of an export list. */
  | 'import'
  /** Only speaks of it: a comment, or the text of a message. */
  | 'text';

interface Use {
  readonly kind: UseKind;
  /** True for a read that decides something: a condition or a comparison. */
  readonly isCheck: boolean;
  /** True for a line that asserts something, as tests do that lie in the file of the product. */
  readonly isAssertion: boolean;
}

const declares =
  /(?:^|[\s(#])(?:def|class|function\*?|func|fn|fun|sub|const|let|var|val|static|struct|enum|interface|type|trait|union|module|namespace|define|local|my|final|readonly|property)\s+(?:\([^()]*\)\s*)?[*&]?$/u;
/** Only modifiers and types before a name: `public static final String `, `export `, `pub(crate) `. */
const onlyTypes = /^(?:[\w<>[\],.?*&|]+(?:\([a-z]+\))?\s+){0,6}$/u;
const assigns =
  /^\s*(?:(?::(?:\s*[^\s=:,(){}][^=:,(){}]{0,79}|\s+))?=(?![=>~])|:=|(?:\+|-|\*|\/|%|\?\?|\|\||&&|\||&|\*\*)=|\+\+|--)/u;
const statementWord =
  /(?:^|\s)(?:return|if|elif|while|unless|case|when|await|yield|throw|raise|assert|not|in|and|or|print|echo|del|delete|new|else)\s/u;
const opensComment =
  /^(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!include|define|if|elif|undef|\[|!\[|[A-Za-z_])|--\s|;|<!--|%|""")/u;
const imports =
  /^\s*(?:(?:import|from|use|using|require|include|#include|package|pub use)\b|export\s+(?:\*|\{[^}]*\}\s*from)|[\w$]+(?:\s+as\s+[\w$]+)?\s*(?:,\s*)?$|["'][\w.$-]+["']\s*(?:,\s*)?$|(?:\}\s*)?from\s)/u;
const setter =
  /(?:^|[.\s])(?:set|put|assign|define|store|write|register|add|insert|update|override|replace|remove|delete)\w*!?\(\s*["'`]$/iu;
const asserts = /^\s*(?:\w+\.)?(?:assert\w*!?|expect|debug_assert\w*!)(?:\s*\(|\s)/u;
const decides =
  /\b(?:if|elif|unless|while|when|switch|match|case|assert\w*|guard|ensure|require|expect)\b|&&|\|\||[=!<>]=|\?(?!\.)|\b(?:not|and|or)\b/u;

/** Returns what the line does with the name at a column (0-based). Judges one line, without knowing the language. */
export function classifyUse(text: string, column: number, name: string): Use {
  const line = text.slice(0, maxLineLength);
  const before = line.slice(0, column);
  const after = line.slice(column + name.length);
  const isAssertion = asserts.test(before);
  const isCheck = !isAssertion && (decides.test(before) || decides.test(after));
  return { kind: kindOf(line, before, after), isCheck, isAssertion };
}

function kindOf(line: string, before: string, after: string): UseKind {
  const quote = /["'`]$/u.exec(before)?.[0];
  const isKey = quote !== undefined && after.startsWith(quote);
  const plain = withoutStrings(before);
  if (opensComment.test(line.trim()) || hasComment(plain)) return 'text';
  // A text such as `"app.retry.RetryPolicy"` loads what it names.
  if (/["'`][\w.:/\\-]{1,200}[.:/\\]$/u.test(before) && /^["'`]/u.test(after)) return 'read';
  if (!isKey && isInString(plain)) return 'text';
  if (imports.test(line)) return 'import';
  if (!isKey && isProse(line)) return 'text';
  if (declares.test(before)) return 'definition';
  return isKey ? kindOfKey(before.slice(0, -1), after.slice(1), before) : kindOfName(before, after);
}

function kindOfName(before: string, after: string): UseKind {
  const indent = before.trimStart();
  const isBare = onlyTypes.test(indent) && !statementWord.test(` ${indent}`);
  if (assigns.test(after)) {
    const isArgument = /,\s*$/u.test(after);
    return isBare && !isArgument && !/^\s*(?:\+|-|\*|\/|%|\||&|\?)/u.test(after) ? 'definition' : 'set';
  }
  if (!/^[?!]?\s*:(?!:)\s*\S/u.test(after) || /\?|\bcase\s/u.test(before)) return 'read';
  // A field with its type, or a key of an object with its value.
  if (isBare) return /;\s*$/u.test(after) ? 'definition' : 'set';
  return /[{(,]\s*$/u.test(before) ? 'set' : 'read';
}

/** A quoted name is a key: of a look-up, of an object, or of a call that sets it. */
function kindOfKey(before: string, after: string, withQuote: string): UseKind {
  if (setter.test(withQuote)) return 'set';
  if (/^\s*:(?!:)/u.test(after) && /^\s*$|[{,(]\s*$/u.test(before)) return 'set';
  if (/^\s*=>/u.test(after)) return 'set';
  return /^\s*\]/u.test(after) && assigns.test(after.replace(/^\s*\]/u, '')) ? 'set' : 'read';
}

/** True if a comment begins in a text without strings and does not end there. */
function hasComment(plain: string): boolean {
  const opens = /(?<!\S)\/\*/gu;
  // A `*` that opens the comment cannot close it as well.
  opens.lastIndex = Math.max(0, plain.lastIndexOf('*/') - 1);
  return opens.test(plain) || /(?<!\S)(?:\/\/|# )/u.test(plain);
}

/**
 * True if a text without its complete strings ends inside a string and outside of its placeholders. An apostrophe
 * between letters starts none.
 */
function isInString(plain: string): boolean {
  const open = /["'`]([^"'`]*)$/u.exec(plain.replaceAll(/\w'\w/gu, ''))?.[1];
  return open !== undefined && open.lastIndexOf('{') <= open.lastIndexOf('}');
}

/** Removes the strings that end. After one that does not end, no later one in the same quotes does. */
function withoutStrings(text: string): string {
  const strings = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/uy;
  const unclosed = new Set<string>();
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (/["'`]/u.test(character) && !unclosed.has(character)) {
      strings.lastIndex = at;
      if (strings.test(text)) {
        at = strings.lastIndex - 1;
        continue;
      }
      unclosed.add(character);
    }
    plain += character;
  }
  return plain;
}

const startsStatement =
  /^(?:if|elif|else|unless|while|until|for|return|yield|await|raise|throw|assert|and|or|not|case|when|def|class)\b|:$/u;

/** True for a line of words, as in a docstring: at least five words, and no sign of code. */
function isProse(line: string): boolean {
  const text = line.trim();
  if (/[=(){}[\];]|->|::|&&|\|\||\w\.\w/u.test(text) || startsStatement.test(text)) return false;
  return (text.match(/\p{L}{2,}/gu) ?? []).length >= 5;
}

/** Returns the columns (0-based) at which a line contains a name as a whole word. */
export function columnsOf(line: string, name: string): readonly number[] {
  const columns: number[] = [];
  for (
    let at = line.indexOf(name);
    at >= 0 && columns.length < 8;
    at = line.indexOf(name, at + name.length)
  ) {
    const isWhole = !/[\p{L}\p{N}_$]/u.test((line[at - 1] ?? ' ') + (line[at + name.length] ?? ' '));
    if (isWhole) columns.push(at);
  }
  return columns;
}
