import { textBefore } from '../../../../foundation/kernel/text/cut-text.ts';

/** A call in a stack trace. */
export interface TraceFrame {
  /** As the trace has it, with forward slashes. */
  readonly path: string;
  readonly line: number;
  /** Name of the function without its class. */
  readonly name: string | undefined;
  /** The line of code that the trace quotes. */
  readonly text: string | undefined;
}

/** A stack trace or an error message in a prompt. */
export interface Trace {
  /** The innermost first; those of the root cause before those of the errors that it led to. */
  readonly frames: readonly TraceFrame[];
  readonly message: string | undefined;
  /** Name of the error without its package. */
  readonly errorType: string | undefined;
}

const max = { line: 1000, frames: 60 } as const;

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
  const root = sections.find((one) => one.message !== undefined);
  if (frames.length === 0 && root === undefined) return undefined;
  return { frames, message: root?.message, errorType: root?.errorType };
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
  const frames = lines.flatMap(
    (line, index) => readFrame(line, lines[index - 1] ?? '', lines[index + 1] ?? '') ?? [],
  );
  const isInnermostLast = lines.some((line) => pythonFrame.test(line));
  const errors = lines.flatMap((line, index) =>
    rustPanic.test(line) ? panicOf(line, lines[index + 1] ?? '') : (readError(line, isInnermostLast) ?? []),
  );
  const error = isInnermostLast ? errors.at(-1) : errors[0];
  return {
    frames: isInnermostLast ? frames.toReversed() : calledNames(lines, frames),
    message: error?.message,
    errorType: error?.errorType,
  };
}

/** Gives the frames of PHP the names of their functions: each line names the function that it calls. */
function calledNames(lines: readonly string[], frames: readonly TraceFrame[]): readonly TraceFrame[] {
  const called = lines.flatMap((line) => (phpFrame.test(line) ? (phpCall.exec(line)?.[1] ?? '') : []));
  if (called.length === 0) return frames;
  const shift = frames.length > called.length ? 0 : 1;
  return frames.map((frame, index) => ({ ...frame, name: lastName(called[index + shift] ?? '') }));
}

/** Returns the message of a panic of Rust, which is on the next line, or quoted by older versions. */
function panicOf(line: string, next: string): ReadError {
  const quoted = /panicked at '([^\n]{1,500})', /u.exec(line)?.[1];
  return { message: quoted ?? next.trim(), errorType: undefined };
}

const pythonFrame = /^\s*File "([^"]{1,400})", line (\d{1,7})(?:, in (\S{1,200}))?/u;
const jvmFrame =
  /^\s*at (?:[\w.@-]{1,100}\/)*([\w$.]{1,300})\.([\w$<>]{1,120})\(([\w$]{1,120}\.[a-z]{1,6}):(\d{1,7})\)/u;
const dotnetCall = /^\s*at (\S{1,300}?)\(/u;
const dotnetLine = /:line (\d{1,7})/u;
const maxPath = 300;
const scriptFrame =
  /^\s*at (?:async )?(?:new )?(?:(.{1,200}?) \()?([^()\n]{1,400}?):(\d{1,7})(?::\d{1,7})?\)?\s*$/u;
const rubyFrame = /^\s*(?:from )?([^\s:]{1,300}):(\d{1,7}):in [`']([^']{1,200})'/u;
const phpFrame = /^\s*#\d{1,4} (\S{1,300})\((\d{1,7})\): /u;
const phpCall = /\(\d{1,7}\): ([^\s(]{1,300})\(/u;
const phpPlace = /(?:^|(?<!thrown)\s)in (\S{1,300}\.php)(?::| on line )(\d{1,7})\s*$/u;
const goFrame = /^\s+(\S{1,400}\.(?:go|s)):(\d{1,7})(?: \+0x[\da-f]+)?\s*$/u;
// bounded: at most 1,000 characters (lines of a trace are cut)
const rustPanic = /panicked at (?:'[^\n]{0,500}', )?(\S{1,300}):(\d{1,7}):\d{1,7}/u;

/** Returns a frame of .NET: `at Job.Run(Int32 id) in C:\\src\\Job.cs:line 7`. One pattern for all of it takes cubic time. */
function dotnetFrameOf(line: string): TraceFrame | undefined {
  const call = dotnetCall.exec(line);
  const place = dotnetLine.exec(line);
  if (call === null || place === null) return undefined;
  const mark = ') in ';
  const at = line.lastIndexOf(mark, place.index);
  if (at < call[0].length) return undefined;
  const path = line.slice(at + mark.length, place.index);
  return path.length > maxPath ? undefined : frameOf(path, place[1], call[1]);
}

function readFrame(line: string, before: string, after: string): TraceFrame | undefined {
  const python = pythonFrame.exec(line);
  if (python !== null) return frameOf(python[1], python[2], python[3], pythonFrame.test(after) ? '' : after);
  const jvm = jvmFrame.exec(line);
  if (jvm !== null) {
    const folder = (jvm[1] ?? '').split('.').slice(0, -1);
    return frameOf([...folder, jvm[3]].join('/'), jvm[4], jvm[2]);
  }
  const dotnet = dotnetFrameOf(line);
  if (dotnet !== undefined) return dotnet;
  const script = scriptFrame.exec(line);
  // Below the name of a function, backtraces of Rust print its place in the same form.
  if (script !== null)
    return frameOf(script[2], script[3], script[1] ?? /^\s*\d{1,4}: +(\S+)/u.exec(before)?.[1]);
  const ruby = rubyFrame.exec(line);
  if (ruby !== null) return frameOf(ruby[1], ruby[2], ruby[3]);
  const go = goFrame.exec(line);
  if (go !== null)
    // bounded: at most 1,000 characters (lines of a trace are cut)
    return frameOf(go[1], go[2], /([^/\s]+)\(/u.exec(before.replace(/\([^()]*\)$/u, '('))?.[1]);
  const other = phpFrame.exec(line) ?? phpPlace.exec(line) ?? rustPanic.exec(line);
  return other === null ? undefined : frameOf(other[1], other[2]);
}

/** Places in a runtime, which call or report every error. */
const runtime = /^(?:node:|internal\/|java\/|jdk\/|sun\/|<|\/rustc\/)|\/go\/src\/runtime\//u;
const noName = /^(?:<.*>|anonymous|eval|module|main)$/u;

function frameOf(path = '', line = '', name = '', text = ''): TraceFrame | undefined {
  const absolute = path
    .replaceAll('\\', '/')
    .replace(/^(?:[a-z][\w+.-]*:\/\/(?:\/|[^/]*\/)|[A-Za-z]:\/)/u, '/');
  const clean = textBefore(textBefore(absolute, '?'), '#').replaceAll('/./', '/').replace(/^\.\//u, '');
  if (runtime.test(path) || runtime.test(clean)) return undefined;
  return {
    path: clean,
    line: Number(line),
    name: lastName(name),
    text: text.trim() === '' ? undefined : text.trim(),
  };
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

interface ReadError {
  readonly message: string;
  readonly errorType: string | undefined;
}

const errorLine =
  // bounded: at most 1,000 characters (lines of a trace are cut)
  /(?:^|[\s.\\:])((?:[A-Za-z_]\w{0,80})?(?:Error|Exception|Panic)|panic|fatal error)(?: \[\w+\])?: (\S.*)$/u;
const pythonError = /^(?:[A-Za-z_]\w{0,80}\.)*([A-Z]\w{0,80}): (\S.*)$/u;
const rubyError = /^\S{1,300}:\d{1,7}:in [`'][^']{1,200}': (\S.{0,600}?)(?: \(([\w:]{1,100})\))?$/u;
/** Libraries name errors without a suffix; the module before it tells such a name from a word. */
const qualifiedError = /^\s*(?:[a-z_]\w{0,60}\.){1,8}([A-Z]\w{2,80}): (\S.*)$/u;
// bounded: at most 1,000 characters (lines of a trace are cut)
const logLine = /\b(?:ERROR|WARN|WARNING|FATAL|CRITICAL)\b(?:[\s:\]-]|\[[^\]]{0,80}\]){1,8}(\S.{11,})$/u;
/** A message that a sentence quotes, such as `we get mux: …`. */
const toldMessage =
  /\b(?:get|gets|got|see|seeing|says|saying|throws|raises|with|message)\b:? (\w{2,30}: .{8,300}?)(?:,? (?:when|where|why|what|which|how|if|after|while)\b|\?|$)/u;

/** A question about an error that it names, as in `a.ConnectTimeout: where is it raised?`, is no message. */
const asks = /^(?:where|when|why|what|which|who|how)\b.*\?$/iu;

function readError(line: string, isPython: boolean): ReadError | undefined {
  const ruby = rubyError.exec(line);
  if (ruby !== null) return { message: ruby[1] ?? '', errorType: ruby[2]?.split('::').at(-1) };
  const patterns = [errorLine, qualifiedError, ...(isPython ? [pythonError] : [])];
  const named = patterns.map((pattern) => pattern.exec(line)).find((found) => found !== null);
  if (named !== undefined && !asks.test(named[2] ?? '')) return namedError(named[1] ?? '', named[2] ?? '');
  const message = logLine.exec(line)?.[1] ?? toldMessage.exec(line)?.[1];
  return message === undefined ? undefined : { message, errorType: undefined };
}

/** What follows the message of an error on its line: its place, or the question. */
const afterMessage =
  / in \S{1,300}\.php(?::| on line )\d{1,7}$|,? (?:when|where|why|what|how|after|while)\b[^?]{0,120}\?$/u;

function namedError(errorType: string, message: string): ReadError {
  // A message may begin with the error that it wraps.
  return (
    readError(message, false) ?? {
      message: (/^(["'`“])(.{8,300}?)["'`”]/u.exec(message)?.[2] ?? message).replace(afterMessage, ''),
      errorType: /^(?:panic|fatal)/u.test(errorType) ? undefined : errorType,
    }
  );
}

/** Minimum length of a part of a message that is looked for in code. */
const minPart = 10;

/**
 * Returns the parts of a message that its program may contain as written, the longest first: quoted texts, numbers,
 * paths and names of code are values.
 */
export function partsOf(message: string): readonly string[] {
  const parts = fixedTexts(message).filter((part) => part.length >= minPart && /\s/u.test(part));
  return [...new Set(parts)].toSorted((a, b) => b.length - a.length).slice(0, 5);
}

/** Returns the texts between the values of a message, in their order: numbers, flags, quoted texts, paths and addresses vary. */
export function fixedTexts(message: string): readonly string[] {
  const fixed = message
    .slice(0, 600)
    .replaceAll(/\s--?\w[\w-]{0,80}/gu, ' \0')
    // bounded: at most 600 characters (the message is cut)
    .replaceAll(/(["'`])[^"'`]{0,200}\1|<[^>]{0,200}>|\d+|\S*[/\\#{}@]\S*|\S+\.\S+/gu, '\0');
  return (
    fixed
      .split(/\0|(?<=[.:;?!])\s/u)
      // bounded: at most 600 characters (part of such a message)
      .map((part) => part.replace(/^[\s"'`:;,.()]+|[\s"'`:;,.()]+$/gu, ''))
      .filter((part) => part !== '')
  );
}
