import type { PastRequest, SourceChange, SourcePast } from '../../../../backends/codesearch/port.ts';
import type { GraphNode } from '../../../../backends/graph/port.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { commitKey } from '../../../knowledge/links/keys.ts';
import { stemsOf } from '../../text/split-words.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from '../targets/target.ts';
import { type Change, describeChanges } from './commits.ts';
import { explanationOf, referencesOf } from './explanation.ts';

/** A commit of some lines, or one that a search of messages found, with what its author says in its body. */
export interface MessageChange {
  readonly node: GraphNode;
  readonly author: string;
  readonly email: string;
  /** The message without its subject. */
  readonly body: string;
  /** The words of its subject and body. */
  readonly words: ReadonlySet<string>;
  /** The message in lower case. */
  readonly text: string;
  /** Paths that it changed, if they are known. */
  readonly paths: readonly string[];
}

export interface Past {
  /** Newest first. */
  readonly changes: readonly MessageChange[];
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

/** Maximum length of a subject that is read; a longer one is no summary. */
export const maxSubject = 300;

/** Returns a commit as the answers read it. */
export function changeOf(
  { id, time, author, message, paths = [] }: SourceChange,
  repository: RepositoryId,
): MessageChange {
  const [subject = ''] = message.split('\n', 1);
  const name = subject === '' ? id.slice(0, 12) : subject.slice(0, maxSubject);
  return {
    node: { key: commitKey(repository, id), kind: 'commit', name, props: { sha: id, time } },
    author: visibleLine(author.name),
    email: author.email.toLowerCase(),
    body: message.slice(subject.length),
    words: new Set(stemsOf(message)),
    text: message.toLowerCase(),
    paths,
  };
}

/** Describes commits with the authors that they name, and with the issues that the graph knows. Keeps their order. */
export async function describePast(
  inquiry: Inquiry,
  changes: readonly MessageChange[],
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
  const wanted = new Set(inquiry.ranked.subject.terms.flatMap(stemsOf));
  return described.map((change) => {
    const body = bodies.get(change.node.key) ?? '';
    return {
      ...change,
      explanation: explanationOf(change.node.name, body, wanted),
      references: referencesOf(body),
    };
  });
}
