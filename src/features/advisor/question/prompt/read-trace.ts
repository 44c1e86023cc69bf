import { textBefore } from '../../../../foundation/kernel/text/cut-text.ts';

/** A call in a stack trace. */
export interface TraceFrame {
  /** As the trace has it, with forward slashes. */
  readonly path: string;
  readonly line: number;
  /** Name of the function without its class. */
  readonly name: string | undefined;
}

/** A stack trace or an error message in a prompt. */
export interface Trace {
  /** The innermost first; those of the root cause before those of the errors that it led to. */
  readonly frames: readonly TraceFrame[];
  readonly message: string | undefined;
}

const max = { line: 1000, frames: 60, path: 400 } as const;

/** Starts of frames that may follow others on one line. */
const nextFrame = /(?<!panicked) (?=at \S[^\n]{0,300}?:\d|File "[^"\n]{1,300}", line \d)/gu;
const nextTrace = /^(?:During handling of the above exception|The above exception was the direct cause)/u;

/** Returns the stack trace or error message that a prompt contains. */
export function readTrace(prompt: string): Trace | undefined {
  const lines = prompt
    .replaceAll(nextFrame, '\n ')
    .split(/\r?\n/u)
    .map((line) => line.slice(0, max.line));
  const sections = sectionsOf(lines).map(readSection);
  const frames = sections.flatMap((one) => one.frames).slice(0, max.frames);
  const message = sections.find((one) => one.message !== undefined)?.message;
  return frames.length === 0 && message === undefined ? undefined : { frames, message };
}

/** Splits a trace at the errors that led to each other; the root cause comes first. */
function sectionsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [[]];
  let isRootLast = false;
  for (const line of lines) {
    const causes = /^\s*Caused by: /u.test(line);
    isRootLast ||= causes;
    if (causes || nextTrace.test(line)) found.push([]);
    found.at(-1)?.push(line);
  }
  return isRootLast ? found.toReversed() : found;
}

function readSection(lines: readonly string[]): Trace {
  const frames = lines.flatMap((line, at) => readFrame(line, lines[at - 1] ?? '') ?? []);
  const isInnermostLast = lines.some((line) => /^\s*File "/u.test(line));
  const messages = lines.flatMap((line, at) => readMessage(line, lines[at + 1] ?? '', isInnermostLast) ?? []);
  return {
    frames: isInnermostLast ? frames.toReversed() : calledNames(lines, frames),
    message: isInnermostLast ? messages.at(-1) : messages[0],
  };
}

/** Gives the frames of PHP the names of their functions: each line names the function that it calls. */
function calledNames(lines: readonly string[], frames: readonly TraceFrame[]): readonly TraceFrame[] {
  const called = lines.flatMap((line) => {
    const [all, name = ''] = /^\s*#\d{1,4} [^(]{1,300}\(\d{1,7}\): ([^\s(]{0,300})/u.exec(line) ?? [];
    return all === undefined ? [] : [name];
  });
  if (called.length === 0) return frames;
  const shift = frames.length > called.length ? 0 : 1;
  return frames.map((frame, index) => ({ ...frame, name: lastName(called[index + shift] ?? '') }));
}

/** Match the beginning of a frame in most languages, and the signs of frames of Ruby, Rust, PHP and Go. */
const frameStart = /^\s*(?:at|from|File|#\d{1,4})\s+(?:async |new )?/u;
const otherFrame = /:in [`']|panicked at |(?<!thrown)(?:^| )in \S{1,300}\.php\b|^\s+\S{1,400}\.(?:go|s):\d/u;
/** The number of a line: `a.js:8:1`, `a.py", line 7`, `Job.cs:line 7`, `Client.php on line 9`, `Api.php(7): get()`. */
const lineNumber = /(?:", line |:line | on line |:)(\d{1,7})(?=[):,\s]|$)|(?<=\w)\((\d{1,7})(?=\): )/u;

function readFrame(line: string, before: string): TraceFrame | undefined {
  const start = frameStart.exec(line)?.[0];
  const found = start !== undefined || otherFrame.test(line) ? lineNumber.exec(line) : null;
  if (found === null) return undefined;
  const left = line.slice(0, found.index);
  const from = startOfPath(left, start !== undefined);
  const path = left.slice(from);
  if (path.length > max.path || !/\S\.\w{1,10}$/u.test(path)) return undefined;
  const called = textBefore(left.slice(start?.length ?? from, from), '(').trim();
  const right = line.slice(found.index + found[0].length);
  const [, named = called] = /^(?::in [`']|, in )([^'\s][^'\n]{0,200})/u.exec(right) ?? [];
  // The JVM names the file alone, after the function: `org.a.B.get(B.java:5)`.
  const isAlone = /[\w>]\($/u.test(left.slice(0, from)) && !/[/\\]/u.test(path);
  const folder = isAlone
    ? called
        .slice(called.lastIndexOf('/') + 1)
        .split('.')
        .slice(0, -2)
    : [];
  const number = Number(found[1] ?? found[2]);
  return frameOf([...folder, path].join('/'), number, named === '' ? nameAbove(before) : named);
}

/** Returns where the path begins that a text ends with: after a quote, `in`, an opening bracket or a space. */
function startOfPath(left: string, isMarked: boolean): number {
  const mark = ') in ';
  const at = left.lastIndexOf(mark);
  if (at >= 0) return at + mark.length;
  const opening = isMarked ? Math.max(left.indexOf('"'), left.indexOf('(')) : -1;
  return 1 + (opening >= 0 ? opening : Math.max(left.lastIndexOf(' '), left.lastIndexOf('\t')));
}

/** Returns the name of the function on the line above its place: of Rust after a number, of Go before its arguments. */
function nameAbove(before: string): string {
  const [, numbered] = /^\s*\d{1,4}: +(\S+)/u.exec(before) ?? [];
  const end = before.lastIndexOf('(');
  return numbered ?? before.slice(before.lastIndexOf('/', end) + 1, Math.max(0, end));
}

/** Places in a runtime, which call or report every error. */
const runtime = /^(?:node:|internal\/|java\/|jdk\/|sun\/|<|\/rustc\/)|\/go\/src\/runtime\//u;
const noName = /^(?:<.*>|anonymous|eval|module|main)$/u;

function frameOf(path: string, line: number, name: string): TraceFrame | undefined {
  const absolute = path
    .replaceAll('\\', '/')
    .replace(/^(?:[a-z][\w+.-]*:\/\/(?:\/|[^/]*\/)|[A-Za-z]:\/)/u, '/');
  const clean = textBefore(textBefore(absolute, '?'), '#').replaceAll('/./', '/').replace(/^\.\//u, '');
  return runtime.test(path) || runtime.test(clean) ? undefined : { path: clean, line, name: lastName(name) };
}

/** Returns the name of a function without its class; `undefined` if it has none. */
function lastName(name: string): string | undefined {
  if (name.includes('<anonymous>')) return undefined;
  const last = textBefore(name, ' [as ')
    .replace(/^(?:block|rescue|ensure)\b.{0,20} in /u, '')
    .replaceAll(/[()*]/gu, '')
    .split(/\.|::|#|->/u)
    .filter((part) => /^[A-Za-z_$][\w$?!]*$/u.test(part) && !/^h[\da-f]{16}$/u.test(part))
    .at(-1);
  return last === undefined || noName.test(last) ? undefined : last;
}

/** An error with its message. Libraries name errors without a suffix; the module before it tells such a name from a word. */
const errorLine =
  // bounded: at most 1,000 characters (lines of a trace are cut)
  /(?:(?:^|[\s.\\:])(?:\w{0,80}(?:Error|Exception|Panic)|panic|fatal error)(?: \[\w+\])?|^\s*(?:[a-z_]\w{0,60}\.){1,8}[A-Z]\w{2,80}): (\S.*)$/u;
const pythonError = /^(?:[A-Za-z_]\w{0,80}\.)*[A-Z]\w{0,80}: (\S.*)$/u;
const rubyError = /^\S{1,300}:\d{1,7}:in [`'][^']{1,200}': (\S.{0,600}?)(?: \([\w:]{1,100}\))?$/u;
/** A code of capitals with its message: `E_LOCKED: the berth is taken`. */
const codedError = /^\s*([A-Z][A-Z\d]{0,40}[_\d][A-Z\d_]{1,40}: \S.*)$/u;
// bounded: at most 1,000 characters (lines of a trace are cut)
const logLine = /\b(?:ERROR|WARN|WARNING|FATAL|CRITICAL)\b(?:[\s:\]-]|\[[^\]]{0,80}\]){1,8}(\S.{11,})$/u;
/** A message that a sentence quotes, such as `we get mux: …`. */
const toldMessage =
  /\b(?:get|gets|got|see|seeing|says|saying|throws|raises|with|message)\b:? (\w{2,30}: .{8,300}?)(?:,? (?:when|where|why|what|which|how|if|after|while)\b|\?|$)/u;

/** A question about an error that it names, as in `a.ConnectTimeout: where is it raised?`, is no message. */
const asks = /^(?:where|when|why|what|which|who|how)\b.*\?$/iu;
/** Matches the text after the message of an error on its line: its place, or the question, which may lack its mark. */
const afterMessage =
  / in \S{1,300}\.php(?::| on line )\d{1,7}$|,? (?:when|where|why|what|how|after|while)\b[^?]{0,120}\?$|,? (?:where|why|what|how) (?:do|does|did|is|are|was|were|can|could|should)\b[^?]{0,120}$/u;

/** Returns the message of an error on a line; of a panic of Rust, which is on the next line, or quoted by older versions. */
function readMessage(line: string, next: string, isPython: boolean): string | undefined {
  const panic = /panicked at (?:'([^\n]{1,500})', )?\S{1,300}:\d{1,7}:\d{1,7}/u.exec(line);
  if (panic !== null) return panic[1] ?? next.trim();
  const ruby = rubyError.exec(line)?.[1];
  if (ruby !== undefined) return ruby;
  const [, named] = errorLine.exec(line) ?? (isPython ? pythonError.exec(line) : null) ?? [];
  if (named === undefined || asks.test(named))
    return (codedError.exec(line) ?? logLine.exec(line) ?? toldMessage.exec(line))?.[1];
  // A message may begin with the error that it wraps.
  return readMessage(named, '', false) ?? unquoted(named).replace(afterMessage, '');
}

/** Returns a quoted message. Without a space, what is quoted is only a value: `KeyError: 'port_number'`. */
function unquoted(message: string): string {
  return /^["'`“](?=[^"'`”]*\s)(.{8,300}?)["'`”]/u.exec(message)?.[1] ?? message;
}

/** Minimum length of a part of a message that is looked for in code. */
const minPart = 10;

/**
 * Returns the parts of a message that its program may contain as written, the longest first, codes last: quoted texts,
 * numbers, paths and names of code are values.
 */
export function partsOf(message: string): readonly string[] {
  const parts = fixedTexts(message).filter(
    (part) => (part.length >= minPart && /\s/u.test(part)) || /^[A-Z\d]+_[A-Z\d_]+$/u.test(part),
  );
  return [...new Set(parts)].toSorted((a, b) => b.length - a.length).slice(0, 5);
}

/** Returns the texts between the values of a message, in their order: numbers, flags, quoted texts, paths and addresses vary. */
export function fixedTexts(message: string): readonly string[] {
  const fixed = message
    .slice(0, 600)
    .replaceAll(/\s--?\w[\w-]{0,80}/gu, ' \0')
    // bounded: at most 600 characters (the message is cut)
    .replaceAll(/(["'`])[^"'`]{0,200}\1|<[^>]{0,200}>|(?<![A-Z_])\d+|\S*[/\\#{}@]\S*|\S+\.\S+/gu, '\0');
  return (
    fixed
      .split(/\0|(?<=[.:;?!])\s/u)
      // bounded: at most 600 characters (part of such a message)
      .map((part) => part.replace(/^[\s"'`:;,.()]+|[\s"'`:;,.()]+$/gu, ''))
      .filter((part) => part !== '')
  );
}
