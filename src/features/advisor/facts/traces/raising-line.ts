import { textBefore } from '../../../../foundation/kernel/text/cut-text.ts';
import { partsOf, type Trace, type TraceFrame } from '../../question/prompt/read-trace.ts';

/** A line of code, 1-based, and its text without indentation. */
export interface CodeLine {
  readonly line: number;
  readonly text: string;
}

/** The branch in which a line is. */
export interface Condition extends CodeLine {
  /** True if the line is in the `else` of that branch. */
  readonly isElse: boolean;
}

/** Maximum number of lines that are read for a condition, and of a statement above a line of its text. */
const max = { above: 60, statement: 6, span: 2000, line: 1000 } as const;

const raises =
  /(?:^|[\s{;(:])(?:raise|throw)\b(?!\s*[=:.,])|\b(?:panic|bail|unimplemented|unreachable|todo|anyhow)!|\bpanic\(|^assert\b|\bassert!\(|\b(?:reject|abort|die|fail|fatalf?)\(|\bErrorf\(|\berrors\.(?:New|Wrapf?)\(|\breturn\b(?:(?!\breturn\b).)*\berr$|\bErr\(|\bnew \\?[\w.\\]*(?:Error|Exception)\(/iu;
const comment = /^(?:#|\/\/|\/?\*|--)/u;
const reports = /\b(?:fail\w*|error|warn|fatal|message|msg)\b/iu;

/** Returns whether a line raises an error. */
export function isRaising(text: string): boolean {
  const code = text.trim();
  return raises.test(code) && !comment.test(code);
}

/** Returns whether a line raises or reports an error. */
export function isReporting(text: string): boolean {
  return isRaising(text) || reports.test(text);
}

/** Returns whether a line is a comment. */
export function isComment(text: string): boolean {
  return comment.test(text.trim());
}

/** The known facts of the error at the frame whose line is looked for. */
interface KnownError extends Pick<Trace, 'message' | 'errorType'> {
  /** Name of the function that the line called, if the frame is not the innermost. */
  readonly inner: string | undefined;
}

/**
 * Returns the line of a function at which a frame was: the one that the trace quotes, the one with the message or the
 * name of the error or the call of the next frame, or the line that the trace names. The last is left out if the trace
 * is of another version. A line outside of the function is found only by what the trace quotes: it is in an overload.
 */
export function lineOfFrame(
  lines: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
  frame: TraceFrame,
  error: KnownError,
): CodeLine | undefined {
  const near = (from: number, to: number, test: (text: string) => boolean): number | undefined =>
    lines
      .slice(from - 1, Math.min(to, from + max.span))
      .flatMap((text, index) => (text.length <= max.line && test(text) ? [from + index] : []))
      .toSorted((a, b) => Math.abs(a - frame.line) - Math.abs(b - frame.line))[0];
  const { sure, likely } = signsOf(frame, error);
  const start = Math.max(1, frame.line - max.span / 2);
  const found =
    firstOf([...sure, ...likely], (test) => near(first, last, (text) => !isComment(text) && test(text))) ??
    firstOf(sure, (test) => near(start, lines.length, test)) ??
    (isInside(frame, first, last) ? ownLine(lines, frame) : onlyRaising(lines, first, last, error));
  return found === undefined ? undefined : statementAt(lines, found);
}

/** A line without a call or a member raises nothing: the number is of another version. */
const mayFail = /[\w)\]?!]\s*(?:\(|\[|\.\w|->|::|\{)/u;

function ownLine(lines: readonly string[], { line }: TraceFrame): number | undefined {
  const text = (lines[line - 1] ?? '').slice(0, max.line);
  return isRaising(text) || (mayFail.test(text) && !isComment(text)) ? line : undefined;
}

/** Returns the line of the innermost function that raises, if it has only one. */
function onlyRaising(
  lines: readonly string[],
  first: number,
  last: number,
  { message }: KnownError,
): number | undefined {
  if (message === undefined) return undefined;
  const found = lines
    .slice(first - 1, Math.min(last, first + max.span))
    .flatMap((text, index) =>
      text.length <= max.line && isRaising(text) ? [{ text, line: first + index }] : [],
    );
  const [only] = found;
  return found.length === 1 && only !== undefined && mayRaise(only.text, message) ? only.line : undefined;
}

type Sign = (text: string) => boolean;

function firstOf(signs: readonly Sign[], find: (sign: Sign) => number | undefined): number | undefined {
  for (const sign of signs) {
    const line = find(sign);
    if (line !== undefined) return line;
  }
  return undefined;
}

function isInside({ text, line }: TraceFrame, first: number, last: number): boolean {
  return text === undefined && first <= line && line <= last;
}

/** Returns the signs by which the line of a frame is known, the surest first. */
function signsOf(
  { text: written }: TraceFrame,
  { message = '', errorType, inner }: KnownError,
): { readonly sure: readonly Sign[]; readonly likely: readonly Sign[] } {
  const head = written?.includes('(') === true ? `${textBefore(written, '(')}(` : (written ?? '');
  const parts = partsOf(message);
  const property = /(?:reading|attribute|method|property) [`'"](\w{2,60})['"]/u.exec(message)?.[1];
  const isWritten: Sign = (text) => text.trim() === written;
  const hasPart = parts.map(
    (part): Sign =>
      (text) =>
        text.includes(part),
  );
  return {
    // A short statement such as `raise TypeError(` is no proof for a place outside of the function.
    sure: (written?.length ?? 0) >= 8 && /\w\W*\w/u.test(written ?? '') ? [isWritten, ...hasPart] : hasPart,
    likely: [
      isWritten,
      (text) => isPartly(text, message),
      (text) => head.length > 4 && text.trim().startsWith(head),
      (text) => errorType !== undefined && hasWord(text, errorType) && mayRaise(text, message),
      (text) => inner !== undefined && callsOf(text, inner),
      (text) => property !== undefined && text.includes(`.${property}`),
    ],
  };
}

const literals = /(["'`])([^"'`]{8,300})\1/gu;

/** Returns whether a line has a text of several words that is a part of a message: code joins long messages. */
function isPartly(text: string, message: string): boolean {
  for (const [, , literal = ''] of text.matchAll(literals)) {
    const words = literal.trim();
    if (words.length >= 8 && words.includes(' ') && message.includes(words)) return true;
  }
  return false;
}

/** Returns whether a line raises an error whose text is not another one than the message. */
function mayRaise(text: string, message: string): boolean {
  const hasOther = [...text.matchAll(literals)].some(([, , literal = '']) => literal.trim().includes(' '));
  return isRaising(text) && (!hasOther || isPartly(text, message));
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at >= 0 && !/[\w$]/u.test(text[at - 1] ?? '') && !/[\w$]/u.test(text[at + word.length] ?? '');
}

function callsOf(text: string, name: string): boolean {
  return (
    hasWord(text, name) &&
    !/^\s*(?:def|fn|func|function|(?:public|private|protected|static|async|export)\b.*\{\s*$)/u.test(text)
  );
}

/** Returns whether the statement that starts at a line has a fixed part of a message, or is quoted by a trace. */
export function hasMessage(lines: readonly string[], { line }: CodeLine, message: string): boolean {
  const parts = partsOf(message);
  return lines
    .slice(line - 1, line + max.statement)
    .some(
      (text) =>
        text.length <= max.line && (parts.some((part) => text.includes(part)) || isPartly(text, message)),
    );
}

/** A line that begins with a text or an operator goes on with the statement above it. */
const continues = /^[.+"'`]/u;

/** Returns the line at which the statement of a line starts, if that statement reports an error. */
export function statementAt(lines: readonly string[], line: number): CodeLine | undefined {
  const own = codeAt(lines, line);
  if (own === undefined || isRaising(own.text)) return own;
  for (let at = line - 1; at >= Math.max(1, line - max.statement); at -= 1) {
    const above = codeAt(lines, at);
    if (above === undefined || indentOf(lines, at) >= indentOf(lines, line)) continue;
    const isContinued = /[([{,+\\]\s*$/u.test(above.text) || continues.test(own.text);
    if (isRaising(above.text)) return isContinued ? above : own;
    if (!continues.test(above.text)) return own;
  }
  return own;
}

const branches =
  /^[}\s]*(?:if|elif|else if|elsif|unless|except|catch|rescue|case|when|while|for|match|switch|guard)\b/u;

/** Returns the branch in which a line is, such as the `if` above it, within its function. */
export function conditionOf(lines: readonly string[], line: number, first: number): Condition | undefined {
  let indent = indentOf(lines, line);
  let isElse = false;
  for (let at = line - 1; at > Math.max(first, line - max.above); at -= 1) {
    const above = codeAt(lines, at);
    if (above === undefined || indentOf(lines, at) >= indent) continue;
    // The `else` of a `case` is the branch that none of its values has.
    if (isElse && /^when\b/u.test(above.text)) continue;
    if (branches.test(above.text)) return { ...above, isElse };
    // The condition of an `else` is that of the branch before it, on the same level.
    isElse = /^[}\s]*else\b/u.test(above.text);
    indent = indentOf(lines, at) + (isElse ? 1 : 0);
  }
  return undefined;
}

/** Returns the branch or loop directly before a line that leaves the function otherwise. */
export function exitBefore(lines: readonly string[], line: number, first: number): CodeLine | undefined {
  const indent = indentOf(lines, line);
  let leaves = false;
  for (let at = line - 1; at > Math.max(first, line - max.above); at -= 1) {
    const above = codeAt(lines, at);
    if (above === undefined || /^[})\]]+;?$/u.test(above.text)) continue;
    leaves ||= indentOf(lines, at) > indent && /^return\b/u.test(above.text);
    if (indentOf(lines, at) > indent || /^(?:#|\/\/|\*|\/\*)/u.test(above.text)) continue;
    return leaves && indentOf(lines, at) === indent && branches.test(above.text) ? above : undefined;
  }
  return undefined;
}

function codeAt(lines: readonly string[], line: number): CodeLine | undefined {
  const text = (lines[line - 1] ?? '').slice(0, 400).trim();
  return /[A-Za-z]/u.test(text) ? { line, text } : undefined;
}

function indentOf(lines: readonly string[], line: number): number {
  return /^[ \t]*/u.exec(lines[line - 1] ?? '')?.[0].length ?? 0;
}
