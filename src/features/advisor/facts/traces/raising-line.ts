import { partsOf, type Trace, type TraceFrame } from '../../question/read-trace.ts';

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
const max = { above: 60, statement: 6, span: 2000 } as const;

const raises =
  /\b(?:raise|throw|panic|reject|abort|bail|die|fatal|Errorf|errors\.New|fail|error)\b|\bnew \w*(?:Error|Exception)\b|!\(/iu;

/** Returns whether a line reports an error. */
export function isRaising(text: string): boolean {
  return raises.test(text);
}

/**
 * Returns the line of a function at which a frame was: the one that the trace quotes, the one with the message or the
 * name of the error, or the line that the trace names. The last is left out if the trace is of another version.
 */
export function lineOfFrame(
  lines: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
  frame: TraceFrame,
  { message, errorType }: Pick<Trace, 'message' | 'errorType'>,
): CodeLine | undefined {
  const span = lines.slice(first - 1, Math.min(last, first + max.span));
  const near = (test: (text: string) => boolean): number | undefined =>
    span
      .flatMap((text, index) => (test(text) ? [first + index] : []))
      .toSorted((a, b) => Math.abs(a - frame.line) - Math.abs(b - frame.line))[0];
  const found =
    signsOf(frame, { message, errorType })
      .map((test) => near(test))
      .find((line) => line !== undefined) ?? (isInside(frame, first, last) ? frame.line : undefined);
  return found === undefined ? undefined : statementAt(lines, found);
}

function isInside({ text, line }: TraceFrame, first: number, last: number): boolean {
  return text === undefined && first <= line && line <= last;
}

/** Returns the signs by which the line of a frame is known, the surest first. */
function signsOf(
  { text: written }: TraceFrame,
  { message = '', errorType }: Pick<Trace, 'message' | 'errorType'>,
): readonly ((text: string) => boolean)[] {
  const head = written?.replace(/\(.*$/u, '(') ?? '';
  const parts = partsOf(message);
  const property = /(?:reading|attribute|method|property) [`'"](\w{2,60})['"]/u.exec(message)?.[1];
  return [
    (text) => text.trim() === written,
    (text) => parts.some((part) => text.includes(part)),
    (text) => head.length > 4 && text.trim().startsWith(head),
    (text) => errorType !== undefined && isRaising(text) && text.includes(errorType),
    (text) => property !== undefined && text.includes(`.${property}`),
  ];
}

/** Returns the line at which the statement of a line starts, if that statement reports an error. */
export function statementAt(lines: readonly string[], line: number): CodeLine | undefined {
  const own = codeAt(lines, line);
  if (own === undefined || isRaising(own.text)) return own;
  for (let at = line - 1; at >= Math.max(1, line - max.statement); at -= 1) {
    const above = codeAt(lines, at);
    if (above === undefined || indentOf(lines, at) >= indentOf(lines, line)) continue;
    return isRaising(above.text) && /[([{,+]\s*$/u.test(above.text) ? above : own;
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
