import type { GraphNode } from '../../../backends/graph/port.ts';
import { innermostAt } from '../../knowledge/queries/frame-symbols.ts';
import { listSentence, quoted, type Sentence, type Statements } from '../answer/statements.ts';
import { partsOf, readTrace, type Trace, type TraceFrame } from '../question/prompt/read-trace.ts';
import { inlineCode } from '../text/markdown.ts';
import { type Inquiry, nodePlace } from './inquiry.ts';
import { targetSource } from './targets/target-source.ts';
import { isTestPath } from './test-path.ts';
import { type FoundFrame, findFrames } from './traces/find-frames.ts';
import { findMessage } from './traces/find-message.ts';
import { type CodeLine, hasMessage, isRaising, lineOfFrame } from './traces/raising-line.ts';
import { reasonOf, stateMessage } from './traces/state-message.ts';
import { callersOf } from './uses/used-name.ts';

const max = { callers: 3, outer: 4, line: 160, names: 4 } as const;

/** Answers a stack trace by its innermost frame in indexed code, and an error message by the line that reports it. */
export async function answerTrace(inquiry: Inquiry): Promise<Statements | undefined> {
  const trace = inquiry.kind === 'impact' ? undefined : readTrace(inquiry.prompt);
  if (trace === undefined) return undefined;
  const found = await findFrames(inquiry, trace.frames);
  const product = found.filter(({ path }) => !isTestPath(path));
  const [frame, ...outer] = product.length > 0 ? product : found;
  if (frame !== undefined) return answerFrame(inquiry, trace, frame, outer);
  const byMessage = trace.message === undefined ? undefined : await answerMessage(inquiry, trace.message);
  if (byMessage !== undefined) return byMessage;
  return trace.frames.length === 0 ? withoutMessage(inquiry, trace) : withoutFrames(inquiry, trace);
}

/** Says where the error was, under which condition, what led there, and which code of the trace is not indexed. */
async function answerFrame(
  inquiry: Inquiry,
  trace: Trace,
  found: FoundFrame,
  outer: readonly FoundFrame[],
): Promise<Statements> {
  const { frame, lines } = found;
  const [innermost] = trace.frames;
  const isInnermost = frame === innermost;
  const at = lineIn(trace, found);
  const node = nodeAt(found, at);
  const source = await targetSource(inquiry, { node });
  const inner = frame.name === undefined || frame.name === node.name ? '' : `${inlineCode(frame.name)}, in `;
  const place: Sentence = [`${inner}${nodePlace(inquiry, node)}`, ...(source === undefined ? [] : [source])];
  const line = at === undefined ? '.' : `, at line ${at.line}: ${inlineCode(at.text.slice(0, max.line))}.`;
  const raised =
    at !== undefined && isRaisedAt(trace, found, at) ? 'The error is raised in ' : 'The error occurred in ';
  const lead: Sentence[] =
    isInnermost || innermost === undefined
      ? [[raised, ...place, line], ...reasonOf(lines, at, Number(node.props['startLine'] ?? 1))]
      : [
          [
            `The error is not raised in indexed code: it occurred in ${frameText(innermost)}, which is not indexed.`,
          ],
          ['The innermost frame in indexed code is ', ...place, line],
        ];
  return {
    lead,
    reasons: [
      ...(source?.summary === undefined ? [] : [[`${inlineCode(node.name)}: ${quoted(source.summary)}`]]),
      ...(await wayTo(inquiry, trace, found, outer)),
    ],
    sources: [],
    notes: isOtherVersion(found, at)
      ? ['The trace is of another version: the lines given here are those of the indexed code.']
      : [],
  };
}

/** Returns the line of the indexed code at which a frame was. */
function lineIn(
  { frames, message, errorType }: Trace,
  { node, frame, lines }: FoundFrame,
): CodeLine | undefined {
  const first = Number(node.props['startLine'] ?? 1);
  const span = { first, last: Number(node.props['endLine'] ?? first) };
  const error =
    frame === frames[0]
      ? { message, errorType, inner: undefined }
      : { message: undefined, errorType: undefined, inner: frames[frames.indexOf(frame) - 1]?.name };
  return lineOfFrame(lines, span, frame, error);
}

/** Returns the function of a frame: the one around its line if that is an overload of the one that was found. */
function nodeAt({ node, definitions }: FoundFrame, at: CodeLine | undefined): GraphNode {
  if (at === undefined) return node;
  const first = Number(node.props['startLine'] ?? 0);
  const isInside = first <= at.line && at.line <= Number(node.props['endLine'] ?? first);
  return isInside ? node : (innermostAt(definitions, at.line) ?? node);
}

/** Returns whether the error is known to be raised at a line: by its message, or because the trace names the line. */
function isRaisedAt({ message = '' }: Trace, { frame, lines }: FoundFrame, at: CodeLine): boolean {
  const isOwn = at.text === frame.text || (frame.text === undefined && at.line === frame.line);
  return isRaising(at.text) && (isOwn || hasMessage(lines, at, message));
}

/** Says which frames led to one, or what calls its function, and which code that is not indexed called it. */
async function wayTo(
  inquiry: Inquiry,
  { frames }: Trace,
  { node, frame }: FoundFrame,
  outer: readonly FoundFrame[],
): Promise<Sentence[]> {
  const shown = outer.slice(0, max.outer).map((one): Sentence => [nodePlace(inquiry, one.node)]);
  const way = listSentence('It was reached through ', shown, outer.length);
  if (frame !== frames[0]) return way;
  const caller = frames.slice(1).find((one) => outer.every((other) => other.frame !== one));
  return [
    ...(way.length === 0 ? await calledBy(inquiry, node) : way),
    ...(caller === undefined
      ? []
      : [[`To check next: what ${frameText(caller)} passes. That frame is not in indexed code.`]]),
  ];
}

/** A statement of several lines may begin above the line that the trace names. */
const maxStatement = 6;

function isOtherVersion({ frame, isCurrent }: FoundFrame, at: CodeLine | undefined): boolean {
  return at === undefined ? !isCurrent : Math.abs(at.line - frame.line) > maxStatement;
}

function frameText({ name, path, line }: TraceFrame): string {
  const place = inlineCode(`${path}:${line}`);
  return name === undefined ? place : `${inlineCode(name)} (${place})`;
}

async function calledBy(inquiry: Inquiry, node: GraphNode): Promise<Sentence[]> {
  const calls = await callersOf(inquiry, node);
  const shown = calls.slice(0, max.callers).map((one): Sentence => [nodePlace(inquiry, one.node)]);
  return listSentence('It is called by ', shown, calls.length);
}

/** Answers an error message without a frame in indexed code: with the line that reports it. */
async function answerMessage(inquiry: Inquiry, message: string): Promise<Statements | undefined> {
  const hit = await findMessage(inquiry, message);
  return hit === undefined ? undefined : stateMessage(inquiry, hit);
}

function withoutFrames(inquiry: Inquiry, { frames }: Trace): Statements {
  const [innermost] = frames;
  const where = innermost === undefined ? '' : ` The error occurred in ${frameText(innermost)}.`;
  return notIndexed(inquiry, `No frame of this stack trace is in indexed code.${where}`);
}

/** Says of an error whose message no indexed file has that other code raised it, and where its type is. */
async function withoutMessage(
  inquiry: Inquiry,
  { message = '', errorType }: Trace,
): Promise<Statements | undefined> {
  const [part] = partsOf(message);
  if (errorType === undefined || inquiry.named.issues.length > 0 || part === undefined) return undefined;
  const shown = inlineCode(part.slice(0, max.line));
  const type = inquiry.named.symbols.find(({ name }) => name === errorType);
  if (type === undefined)
    return notIndexed(
      inquiry,
      `This error is not raised in indexed code: no file has the text ${shown}. It comes from the runtime or a library.`,
    );
  const source = await targetSource(inquiry, { node: type });
  const summary = source?.summary === undefined ? '.' : `: ${quoted(source.summary)}`;
  const place: Sentence = [nodePlace(inquiry, type), ...(source === undefined ? [] : [source])];
  return {
    lead: [
      ['The type of this error is ', ...place, summary],
      [`No indexed file has the text ${shown}: it is computed, or comes from the runtime or a library.`],
    ],
    reasons: [],
    sources: [],
    notes: [],
  };
}

function notIndexed({ ranked }: Inquiry, lead: string): Statements {
  const { named, repositories } = ranked;
  const names = (named.length > 0 ? named : repositories).map(({ name }) => inlineCode(name));
  const searched = names.slice(0, max.names).map((name): Sentence => [name]);
  return {
    lead: [[lead], ...listSentence('Searched: ', searched, names.length)],
    isNotFound: true,
    reasons: [],
    sources: [],
    notes: ['To get an answer about that code, add its repository.'],
  };
}
