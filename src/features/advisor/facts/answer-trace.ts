import type { GraphNode } from '../../../backends/graph/port.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { fileKey, placeOfKey } from '../../knowledge/links/keys.ts';
import { joined, quoted, type Sentence, type Statements } from '../answer/statements.ts';
import { inlineCode } from '../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace } from './inquiry.ts';
import { enclosing } from './targets/enclosing.ts';
import { targetOf } from './targets/target.ts';
import { targetSource } from './targets/target-source.ts';
import { isTestPath } from './test-path.ts';

/** Number of frames that are looked up, and of those that are named besides the innermost one. */
const max = { frames: 8, outer: 4, line: 120 } as const;

interface Frame {
  readonly node: GraphNode;
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly line: number;
  /** False if the line lies outside of the function that the trace names: the trace is of another version. */
  readonly isCurrent: boolean;
}

/** Answers a pasted stack trace: with its innermost frame in indexed code, and the frames that led to it. */
export async function answerTrace(inquiry: Inquiry): Promise<Statements | undefined> {
  if (!inquiry.prompt.includes('\n') || inquiry.kind === 'impact') return undefined;
  const found = await framesOf(inquiry);
  const product = found.filter(({ path }) => !isTestPath(path));
  const [frame, ...outer] = product.length > 0 ? product : found;
  if (frame === undefined) return undefined;
  const shown = outer.slice(0, max.outer).map((one): Sentence => [nodePlace(inquiry, one.node)]);
  return {
    lead: [await leadOf(inquiry, frame)],
    reasons: [
      ...(await lineOf(inquiry, frame)),
      ...(shown.length === 0 ? [] : [['It was reached through ', ...joined(shown, outer.length), '.']]),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: found.every(({ isCurrent }) => isCurrent)
      ? []
      : ['The line numbers differ from the indexed code: the trace is of another version.'],
  };
}

async function leadOf(inquiry: Inquiry, { node }: Frame): Promise<Sentence> {
  const target = targetOf(node, true);
  const source = target === undefined ? undefined : await targetSource(inquiry, target);
  return [
    `The innermost frame in indexed code is ${nodePlace(inquiry, node)}`,
    ...(source === undefined ? [] : [source]),
    ...(source?.summary === undefined ? ['.'] : [`: ${quoted(source.summary)}`]),
  ];
}

/** Quotes the line of a frame. */
async function lineOf(
  { deps, scope, signal }: Inquiry,
  { repositoryId: repository, path, line, isCurrent }: Frame,
): Promise<readonly Sentence[]> {
  const file = isCurrent ? await deps.sources.readFile(scope, { repository, path }, signal) : undefined;
  const lines = file?.content?.split(/\r?\n/u) ?? [];
  const text = (lines[line - 1] ?? '').trim().slice(0, max.line).toWellFormed();
  return text === '' ? [] : [[`Line ${line} is ${inlineCode(text)}.`]];
}

/** Returns the frames in indexed files with the definitions around them, the innermost one first. */
async function framesOf(inquiry: Inquiry): Promise<readonly Frame[]> {
  const { ranked, named, prompt } = inquiry;
  const { places } = ranked.subject;
  const ordered = /most recent call last/iu.test(prompt) ? places.toReversed() : places;
  const frames: Frame[] = [];
  for (const { path: written, line } of ordered.slice(0, max.frames)) {
    const file = ranked.files.find(
      ({ path }) => written === path || written.endsWith(`/${path}`) || path.endsWith(`/${written}`),
    );
    if (file === undefined) continue;
    const { repository: repositoryId, path } = file;
    const around = await enclosing(inquiry, { repositoryId, path, line });
    const key = fileKey(repositoryId, path);
    const isNamed = around !== undefined && prompt.includes(around.name);
    const byName = named.symbols.find((one) => {
      const place = placeOfKey(one.key);
      return place !== undefined && fileKey(place.repositoryId, place.path) === key;
    });
    const node = isNamed ? around : (byName ?? around);
    if (node === undefined || frames.some((one) => one.node.key === node.key)) continue;
    frames.push({ node, repositoryId, path, line, isCurrent: node === around });
  }
  return frames;
}
