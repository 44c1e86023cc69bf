import type { GraphNode } from '../../../../backends/graph/port.ts';
import { shorten } from '../../../../foundation/kernel/text/visible-text.ts';
import { placeOfKey } from '../../../knowledge/links/keys.ts';
import type { RelatedNode } from '../../../knowledge/queries/related-node.ts';
import { quoted, type Sentence, type Statements } from '../../answer/statements.ts';
import { paragraphOf } from '../../text/first-sentence.ts';
import { inlineCode } from '../../text/markdown.ts';
import { type Inquiry, nodePlace, placeText } from '../inquiry.ts';
import { enclosing } from '../targets/enclosing.ts';
import { linesOfFile } from '../targets/file-lines.ts';
import { useSource } from '../targets/node-source.ts';
import { targetSource } from '../targets/target-source.ts';
import { isTestPath } from '../test-path.ts';
import type { TextSource } from '../text-uses.ts';
import { callersOf } from '../uses/used-name.ts';
import {
  type CodeLine,
  type Condition,
  conditionOf,
  exitBefore,
  isComment,
  isReporting,
  statementAt,
} from './raising-line.ts';

const max = {
  callers: 3,
  line: 160,
  statement: 300,
  lines: 6,
  comment: 4,
  above: 120,
  variables: 3,
} as const;

/**
 * Answers where a message comes from: the function and the statement that reports it, the condition of that line, what
 * the author says about it, and from where the function is called under which condition.
 */
export async function stateMessage(inquiry: Inquiry, hit: TextSource): Promise<Statements> {
  const node = await enclosing(inquiry, hit);
  const lines = await linesOfFile(inquiry, hit);
  const at = reportingStatement(lines, hit.line);
  const placed = at && placedLine(lines, at, Number(node?.props['startLine'] ?? 0));
  const where = node === undefined ? placeText(inquiry, hit) : nodePlace(inquiry, node);
  const text = at === undefined ? '.' : `, at line ${at.line}: ${inlineCode(statementText(lines, at))}.`;
  return {
    lead: [
      ['This message comes from ', where, hit, text],
      ...(placed === undefined ? [] : reachedIf(lines, placed)),
    ],
    reasons: [
      ...(placed === undefined ? [] : [...variablesOf(lines, placed), ...commentAbove(lines, placed.at)]),
      ...(node === undefined ? [] : await functionReasons(inquiry, node)),
    ],
    sources: [],
    notes: [],
  };
}

/** Writes a log, or checks a condition and reports a text if it does not hold. */
const reports =
  /\b(?:log|logger|logging|console|print\w*|warn\w*|puts|stderr|fmt)\b\s*[.(]|\b(?:check|require|ensure|assert|invariant|verify)\w*!?\s*\(/iu;

/** Returns whether a line raises an error, writes a log or has the text of a message. */
export function isMessageStatement({ text }: CodeLine): boolean {
  return isReporting(text) || reports.test(text);
}

/** Returns the statement that reports the text of a line: it may begin some lines above. */
export function reportingStatement(lines: readonly string[], line: number): CodeLine | undefined {
  const at = statementAt(lines, line);
  if (at === undefined || isMessageStatement(at)) return at;
  for (let above = line - 1; above > Math.max(0, line - max.comment); above -= 1) {
    const text = (lines[above - 1] ?? '').slice(0, max.statement).trim();
    if (reports.test(text)) return { line: above, text };
  }
  return at;
}

async function functionReasons(inquiry: Inquiry, node: GraphNode): Promise<Sentence[]> {
  const source = await targetSource(inquiry, { node });
  const says = source?.summary === undefined ? [] : [[`${inlineCode(node.name)}: ${quoted(source.summary)}`]];
  const callers = await callersOf(inquiry, node);
  const calls = callers.filter((one) => !isTestPath(one.node.key)).slice(0, max.callers);
  return [...says, ...(await Promise.all(calls.map((call) => callOf(inquiry, call))))];
}

/** Says where a function is called, and under which condition. */
async function callOf(inquiry: Inquiry, { node, edge }: RelatedNode): Promise<Sentence> {
  const source = await useSource(inquiry, node, edge);
  const place = placeOfKey(node.key);
  const said: Sentence = [
    'It is called by ',
    nodePlace(inquiry, node),
    ...(source === undefined ? [] : [source]),
  ];
  if (source === undefined || place === undefined) return [...said, '.'];
  const lines = await linesOfFile(inquiry, place);
  const first = Number(node.props['startLine'] ?? 0);
  const condition = conditionOf(lines, source.line, first);
  if (condition === undefined) return [...said, '.'];
  const branch = condition.isElse ? 'in the `else` of' : 'in the branch';
  return [...said, `, ${branch} ${inlineCode(condition.text.slice(0, max.line))} (line ${condition.line}).`];
}

/** Returns a statement of several lines as one: up to the line that closes its last parenthesis. */
function statementText(lines: readonly string[], { line }: CodeLine): string {
  const parts: string[] = [];
  let open = 0;
  for (const part of lines.slice(line - 1, line - 1 + max.lines)) {
    const text = part.slice(0, max.statement).trim();
    parts.push(text);
    open += (text.match(/[([]/gu) ?? []).length - (text.match(/[)\]]/gu) ?? []).length;
    if (open <= 0) break;
  }
  return shorten(parts.join(' '), max.statement);
}

/** A line of code in its function. */
interface PlacedLine {
  readonly at: CodeLine;
  /** The first line of the function. */
  readonly first: number;
  /** The branch in which the line is. */
  readonly condition: Condition | undefined;
}

function placedLine(lines: readonly string[], at: CodeLine, first: number): PlacedLine {
  return { at, first, condition: conditionOf(lines, at.line, first) };
}

/** Says where the values come from that a message or its condition has: the assignments above it in its function. */
function variablesOf(lines: readonly string[], { at, first, condition }: PlacedLine): Sentence[] {
  const inMessage = [...statementText(lines, at).matchAll(/\{([\p{L}_$][\w$]*)/gu)].map(
    ([, name = '']) => name,
  );
  const inCondition = [...(condition?.text ?? '').matchAll(/(?<![.\w$])[\p{L}_$][\w$]*(?![\w$(])/gu)].map(
    ([name]) => name,
  );
  const names = new Set([...inMessage, ...inCondition]);
  const found: string[] = [];
  for (let line = at.line - 1; line > Math.max(first, at.line - max.above); line -= 1) {
    const text = (lines[line - 1] ?? '').slice(0, max.line).trim();
    const name =
      // bounded: at most 160 characters (the line is cut)
      /^(?:(?:const|let|var|final|auto)\s+)?([\p{L}_$][\w$]*)\s*(?::\s*[^=]{1,60})?:?=(?![=>])/u.exec(
        text,
      )?.[1];
    // A parameter with its default ends with a comma.
    if (name === undefined || text.endsWith(',') || !names.delete(name)) continue;
    found.push(`${inlineCode(text)} (line ${line})`);
    if (found.length >= max.variables) break;
  }
  return found.length === 0 ? [] : [[`Its values: ${found.join(', ')}.`]];
}

/** Quotes the comment directly above a line. */
function commentAbove(lines: readonly string[], { line }: CodeLine): Sentence[] {
  let first = line;
  while (line - first < max.comment && isComment(lines[first - 2] ?? '')) first -= 1;
  const comment = paragraphOf(lines.slice(first - 1, line - 1));
  return comment === '' ? [] : [[`The comment above it: ${quoted(comment)}.`]];
}

/** Says under which condition a line that reports an error is reached. */
export function reasonOf(lines: readonly string[], at: CodeLine | undefined, first: number): Sentence[] {
  return at === undefined ? [] : reachedIf(lines, placedLine(lines, at, first));
}

function reachedIf(lines: readonly string[], { at, first, condition }: PlacedLine): Sentence[] {
  if (!isMessageStatement(at)) return [];
  if (condition !== undefined)
    return [
      [
        `That line is in the ${condition.isElse ? '`else` of the branch' : 'branch'} of line ${condition.line}: ${inlineCode(condition.text.slice(0, max.line))}.`,
      ],
    ];
  const exit = exitBefore(lines, at.line, first);
  return exit === undefined
    ? []
    : [
        [
          `It is reached if line ${exit.line} does not return before: ${inlineCode(exit.text.slice(0, max.line))}.`,
        ],
      ];
}
