import type { PastRequest, SourceChange, SourcePast } from '../../../../backends/codesearch/port.ts';
import type { GraphNode } from '../../../../backends/graph/port.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { commitKey } from '../../../knowledge/links/keys.ts';
import { firstSentence } from '../../text/first-sentence.ts';
import { stemsOf } from '../../text/split-words.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from '../targets/target.ts';
import { type Change, describeChanges } from './commits.ts';
import { isMechanical } from './purpose.ts';

/** A commit of some lines, with what its author says in its body. */
export interface PastChange {
  readonly node: GraphNode;
  readonly author: string;
  readonly email: string;
  readonly body: string | undefined;
  /** The words of its subject and body. */
  readonly words: ReadonlySet<string>;
  /** The message in lower case. */
  readonly text: string;
}

export interface Past {
  /** Newest first. */
  readonly changes: readonly PastChange[];
  readonly whole: boolean;
}

/**
 * Reads commits; `undefined` if the repository cannot be read. Errors other than the end of the question's time leave
 * the answer to the commits that the graph knows.
 */
export async function readSourcePast(
  { deps, scope, signal }: Inquiry,
  request: PastRequest,
): Promise<SourcePast | undefined> {
  try {
    return await deps.sources.readPast(scope, request, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Reads the commits of the lines of a definition, or of a file; `undefined` if there are none that can be read. */
export async function readPast(
  inquiry: Inquiry,
  { node, path, repositoryId }: Target,
): Promise<Past | undefined> {
  const repository = inquiry.ranked.repositories.find(({ id }) => id === repositoryId)?.id;
  if (repository === undefined) return undefined;
  const lines = linesOf(node);
  const request = { repository, path, ...(lines === undefined ? {} : { lines }) };
  const past = await readSourcePast(inquiry, request);
  return past === undefined || past.changes.length === 0 ? undefined : pastOf(past, repository);
}

function linesOf({
  kind,
  props: { startLine, endLine },
}: GraphNode): { startLine: number; endLine: number } | undefined {
  if (kind !== 'symbol' || typeof startLine !== 'number') return undefined;
  return { startLine, endLine: typeof endLine === 'number' ? Math.max(startLine, endLine) : startLine };
}

function pastOf({ changes, whole }: SourcePast, repository: RepositoryId): Past {
  return { changes: changes.map((change) => changeOf(change, repository)), whole };
}

/** Returns a commit as the answers read it. */
export function changeOf({ id, time, author, message }: SourceChange, repository: RepositoryId): PastChange {
  const [subject = ''] = message.split('\n', 1);
  const name = subject === '' ? id.slice(0, 12) : subject;
  return {
    node: { key: commitKey(repository, id), kind: 'commit', name, props: { sha: id, time } },
    author: visibleLine(author.name),
    email: author.email.toLowerCase(),
    body: bodySentence(message.slice(subject.length)),
    words: new Set(stemsOf(message)),
    text: message.toLowerCase(),
  };
}

/** Texts of forms, lists and trailers of a message, which give no reason. */
const noReason =
  /^(?:#|Merge (?:pull request|branch)\b|[-*+|>] |\d+[.)] |[A-Z][A-Za-z]+(?:-[a-z]+)+: |https?:\/\/\S+$|(?:fix(?:es)?|closes?) #\d+)/iu;
const maxParagraphs = 20;

/** Returns the first sentences of the body that state something; `undefined` without any. */
function bodySentence(body: string): string | undefined {
  for (const paragraph of body.split(/\n\s*\n/u, maxParagraphs)) {
    const text = paragraph.trim();
    if (text === '' || noReason.test(text)) continue;
    const sentence = firstSentence(text);
    if (sentence !== undefined && sentence.split(' ').length > 3) return sentence;
  }
  return undefined;
}

/** Share of the weight of the question's words from which a commit is said to fit it. */
const minFit = 0.35;
/** Factor of a commit that only formats or moves code, unless the question is about that. */
const mechanicalFactor = 0.5;

/** Returns the changes that share most words with a question, rare ones counting more; only those that fit it. */
export function fittingPast(
  { ranked, asked }: Inquiry,
  { changes }: Past,
  name: string,
): readonly PastChange[] {
  // Each commit of a file may have the words of its name, and each word of a repository its name.
  const own = new Set([name, ...ranked.repositories.map((one) => one.name)].flatMap(stemsOf));
  const wanted = [...new Set(ranked.subject.terms.flatMap(stemsOf))].filter((word) => !own.has(word));
  const weightOf = (word: string): number => {
    const count = changes.filter(({ words }) => words.has(word)).length;
    return Math.log(1 + (changes.length + 1) / (count + 0.5));
  };
  const weights = new Map(wanted.map((word) => [word, weightOf(word)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return [];
  const scoreOf = ({ words, node }: PastChange): number => {
    const subject = new Set(stemsOf(node.name));
    let sum = 0;
    for (const [word, weight] of weights) if (words.has(word)) sum += weight * (subject.has(word) ? 1 : 0.7);
    return (sum / total) * (isMechanical(node.name, asked) ? mechanicalFactor : 1);
  };
  return changes
    .map((change) => ({ change, score: scoreOf(change) }))
    .filter(({ score }) => score >= minFit)
    .toSorted((a, b) => b.score - a.score)
    .map(({ change }) => change);
}

/** Describes commits with the authors that they name, and with the issues that the graph knows. Keeps their order. */
export async function describePast(
  inquiry: Inquiry,
  changes: readonly PastChange[],
  reason: string,
): Promise<readonly Change[]> {
  const authors = new Map(changes.map(({ node, author }) => [node.key, author]));
  const described = await describeChanges(
    inquiry,
    changes.map(({ node }) => node),
    reason,
    authors,
  );
  const bodies = new Map(changes.map(({ node, body }) => [node.key, body]));
  return described.map((change) => ({ ...change, body: bodies.get(change.node.key) }));
}
