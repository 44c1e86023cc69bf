import { withoutEnd, withoutStart } from '../../../../foundation/kernel/text/cut-text.ts';

/** A call in a stack trace. */
export interface TraceFrame {
  /** As the trace has it, with forward slashes. */
  readonly path: string;
  readonly line: number;
  /** Words around the place, one of which names the function: the most likely one first. */
  readonly words: readonly string[];
}

/** A stack trace or an error message in a prompt. */
export interface Trace {
  /** The innermost first; those of the root cause before those of the errors that it led to. */
  readonly frames: readonly TraceFrame[];
  readonly message: string | undefined;
}

const max = { line: 1000, frames: 60, words: 12 } as const;

/**
 * Matches a file with the number of a line, or with the first and last one of several: `a.js:8`, `a.py", line 7`,
 * `Job.cs:line 7`, `Client.php on line 9`, `Api.php(7): get()`, `a.js:8-9`, `a.js#L8-L9`, `a.js lines 8-9`.
 */
export const filePlace =
  /(?<![^\s"'`()<>[\],;|:]|:(?=[:/\\]))((?:[^\s"'`()<>[\],;|:]|:(?=[/\\])){0,300}[\w+-]\.\w{1,10})(?:\?[^\s:]{0,80})?(?:["`]?[,:]?(?: on| at)?[ (]{0,2}lines? |:|#L|\((?=\d{1,7}\): ))(\d{1,7})(?::\d{1,7}|(?:[-–]| to | and )L?(\d{1,7}))?(?!\w)/gu;

/** Matches where a frame begins that follows another one on the same line. */
const nextFrame = /(?<!panicked) (?=at \S[^\n]{0,300}?:\d|File "[^"\n]{1,300}", line \d)/gu;
/** Matches where the trace of an error begins that caused the one before it, or that this one led to. */
const nextTrace = /\n(?=[ \t]{0,20}(?:Caused by: |During handling of the above|The above exception was))/u;

/** Returns the stack trace or error message of a prompt. A place after "at" in a sentence is a frame without words. */
export function readTrace(prompt: string): Trace | undefined {
  const traces = prompt.replaceAll(nextFrame, '\n ').split(nextTrace).map(readSection);
  // Java says the root cause last, Python first.
  const read = prompt.includes('Caused by: ') ? traces.toReversed() : traces;
  const frames = read.flatMap((one) => one.frames).slice(0, max.frames);
  const message = read.find((one) => one.message !== undefined)?.message;
  return frames.length === 0 && message === undefined ? undefined : { frames, message };
}

function readSection(text: string): Trace {
  const lines = text.split('\n').map((line) => line.slice(0, max.line).trimEnd());
  const all = lines.flatMap((line, at) => readFrame(line, lines[at - 1] ?? '') ?? []);
  const frames = [...new Map(all.map((one) => [`${one.path}:${one.line}`, one])).values()];
  const messages = lines.flatMap((line, at) => readMessage(line, lines[at + 1] ?? '') ?? []);
  const isPython = lines.some((line) => line.trimStart().startsWith('File "'));
  return isPython
    ? { frames: frames.toReversed(), message: messages.at(-1) }
    : { frames, message: messages[0] };
}

/** Matches the lines of frames in most languages, and the signs of those of Ruby, Rust, PHP and Go. */
const frameLine =
  /^\s*(?:at|from|File|#\d{1,4})\s|:in [`']|panicked at |(?:^| )in \S{1,300}\.php\b|^\s+\S{1,400}\.(?:go|s):\d/u;
/** Matches the name of a function after its place: of Python and of Ruby. */
const nameAfter = /^(?:, in |:in )(?:[`'][^`'\n]{0,300}'|[^\s(]{0,300})/u;
/** Matches arguments, and what stands for a function without a name. */
const inBrackets = /\([^()]*\)|\[[^[\]]*\]|<[^<>]*>|\{[^{}]*\}/gu;
/** Matches names, but not the words that traces put beside them. */
const names = /(?<![\w$])(?!(?:at|from|in|async|new|File|thread|main|panicked|thrown)\b)[A-Za-z_$][\w$?!]*/gu;

function readFrame(line: string, before: string): TraceFrame | undefined {
  const [found] = frameLine.test(line) ? line.matchAll(filePlace) : [];
  if (found === undefined) return undefined;
  const [place, path = '', number] = found;
  const left = line.slice(0, found.index);
  const [right = ''] = nameAfter.exec(line.slice(found.index + place.length)) ?? [];
  // Go and Rust name the function on the line above.
  const isBelow = path.endsWith('.go') || /^\s*\d{1,4}: /u.test(before);
  const text = (isBelow ? before : `${left} ${right}`).replaceAll(inBrackets, '');
  // The name of a function follows that of its class. A line of PHP names what it calls.
  const named = path.endsWith('.php') ? [] : (text.match(names) ?? []);
  // The JVM names the file alone, after the function: `org.a.B.get(B.java:5)`.
  const [, folders = ''] = /(?:^|[\s/])((?:\w+\.)+)[\w$]+\.[\w$<>]+\($/u.exec(left) ?? [];
  const whole = `${folders.replaceAll('.', '/')}${path}`;
  const words = named.toReversed().slice(0, max.words);
  return { path: whole.replaceAll('\\', '/'), line: Number(number), words };
}

/**
 * An error with its message: a name that libraries and languages give to errors, one of another name in its module, a
 * code of capitals, or a method of Ruby that raised. The last one on a line counts, because a message may begin with
 * the error that it wraps.
 */
const errorLine =
  // bounded: at most 1,000 characters (lines of a trace are cut)
  /^(?:.*[\s.\\:]|)(?:(?:\w{0,80}(?:Error|Exception|Panic)|panic|fatal error)(?: \[\w+\])?|(?<=^\s*)(?:(?:[a-z_]\w{0,60}\.){1,8}[A-Z]\w{2,80}|[A-Z][A-Z\d]{0,40}[_\d][A-Z\d_]{1,40})|in [`'][^']{1,200}'): (\S.*)$/u;
// bounded: at most 1,000 characters (lines of a trace are cut)
const logLine = /\b(?:ERROR|WARN|WARNING|FATAL|CRITICAL)\b(?:[\s:\]-]|\[[^\]]{0,80}\]){1,8}(\S.{11,})$/u;
/** Matches what follows the message of an error on its line: its place, its class, or the question about it. */
const afterMessage =
  / in \S{1,300}\.php(?::| on line )\d{1,7}$| \([\w:]{1,100}\)$|(?:^|,? )(?:where|when|why|what|which|who|how|after|while)\b[^?]{0,200}\?$/u;

/** Returns the message of an error on a line; that of a panic of Rust is on the next line, or quoted. */
function readMessage(line: string, next: string): string | undefined {
  const panic = /panicked at (?:'([^\n]{1,500})', )?\S{1,300}:\d/u.exec(line);
  if (panic !== null) return panic[1] ?? next.trim();
  const [, message = ''] = errorLine.exec(line) ?? logLine.exec(line) ?? [];
  const own = message.replace(afterMessage, '');
  return own === '' ? undefined : unquoted(own);
}

/** Returns a quoted message. Without a space, what is quoted is only a value: `KeyError: 'port_number'`. */
function unquoted(message: string): string {
  const [first = ''] = message;
  const isQuoted = `"'\``.includes(first) && message.endsWith(first) && message.includes(' ');
  return isQuoted ? message.slice(1, -1) : message;
}

/** Values in a message, which are quoted texts, flags, numbers, paths and addresses, and ends of sentences. */
const value =
  // bounded: at most 600 characters (the message is cut)
  /"[^"]{0,200}"|'[^']{0,200}'|`[^`]{0,200}`|<[^>]{0,200}>|(?<=\s)--?\w[\w-]{0,80}|(?<![A-Z_])\d+|\S*[/\\#{}@]\S*|\S+\.\S+|(?<=[.:;?!])\s/u;

/** Spaces and signs that may stand between a value and a text. */
const aroundText = ' \t\n\r\u00A0"\'`:;,.()[]<>';

/** Returns the texts between the values of a message, in their order. */
export function fixedTexts(message: string): readonly string[] {
  return message
    .slice(0, 600)
    .split(value)
    .map((part) => withoutStart(withoutEnd(part, aroundText), aroundText))
    .filter((part) => part !== '');
}
