import type { GraphEdge, GraphNode } from '../../../../backends/graph/port.ts';
import { isoTime } from '../../../../foundation/kernel/clock.ts';
import { shortCommit } from '../../../../foundation/kernel/text/short-commit.ts';
import { shorten, visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { printCommitUri } from '../../../../foundation/kernel/wire/resource-uri.ts';
import { entityUri } from '../../../knowledge/entity-uri.ts';
import { placeOfKey } from '../../../knowledge/links/keys.ts';
import { fileUri } from '../../../search/file-url.ts';
import type { Source, SourceKind } from '../../answer.ts';
import { excerptOf } from '../../sources/excerpt.ts';
import { type Inquiry, repositoryOf } from '../inquiry.ts';

/** Maximum length of a name that a provider or author wrote. */
const maxName = 200;

/** Returns a commit as a source; `undefined` if its repository cannot be searched. */
export function commitSource(
  inquiry: Inquiry,
  node: GraphNode,
  { authors = [], reason = 'history' }: { authors?: readonly string[]; reason?: string } = {},
): Source | undefined {
  const repository = repositoryOf(inquiry, node.key);
  const sha = node.props['sha'];
  if (repository === undefined || typeof sha !== 'string') return undefined;
  const { deps, scope } = inquiry;
  const subject = shorten(visibleLine(node.name), maxName);
  const changed = node.props['changed'];
  const facts = [
    authors.map(visibleLine).join(', '),
    dayOf(node) ?? '',
    typeof changed === 'number' ? `${changed} ${changed === 1 ? 'file' : 'files'}` : '',
  ].filter(Boolean);
  return {
    kind: 'commit',
    repository: repository.name,
    commit: sha,
    uri: printCommitUri(repository.name, sha),
    url: deps.urls.commit(scope, repository, sha),
    title: `commit ${shortCommit(sha)} in ${repository.name}: ${subject}`,
    excerpt: `${subject}\n${facts.join(', ')}`,
    reasons: [reason],
  };
}

/** Returns the day of a commit, UTC. */
export function dayOf({ props }: GraphNode): string | undefined {
  const { time } = props;
  return typeof time === 'number' && Number.isFinite(time) ? isoTime(time * 1000).slice(0, 10) : undefined;
}

const recordKinds: Readonly<Partial<Record<GraphNode['kind'], SourceKind>>> = {
  issue: 'issue',
  incident: 'incident',
  document: 'document',
};

/** Returns a record of a provider as a source. */
export function recordSource(
  { deps, scope }: Pick<Inquiry, 'deps' | 'scope'>,
  node: GraphNode,
  { text = '', reason }: { text?: string; reason: string },
): Source {
  const name = shorten(visibleLine(node.name), maxName);
  const { state, createdAt, urgency } = node.props;
  const facts = [
    typeof state === 'string' ? `state: ${visibleLine(state)}` : '',
    typeof urgency === 'string' ? `urgency: ${visibleLine(urgency)}` : '',
    typeof createdAt === 'string' ? `created: ${visibleLine(createdAt)}` : '',
  ].filter(Boolean);
  const restAddress = deps.urls.entity(scope, node.key);
  return {
    kind: recordKinds[node.kind] ?? 'entity',
    uri: entityUri(node, null) ?? restAddress,
    url: providerPage(node.props['url']) ?? restAddress,
    title: `${node.kind} ${name}`,
    excerpt: [name, facts.join(', '), excerptOf(text.split(/\r?\n/u))].filter(Boolean).join('\n'),
    reasons: [reason],
  };
}

/** Returns the page that the provider gave for a record, if people can open it safely. */
function providerPage(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > 2000 || !URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  return protocol === 'https:' && username === '' && password === '' ? href : undefined;
}

/** Number of lines around a use that are quoted. */
const around = 2;

/** The lines around a use. */
interface UseSource extends Source {
  readonly repository: string;
  /** The line that uses it. */
  readonly line: number;
  /** That line as written, without its indentation; empty if the file no longer has it. */
  readonly text: string;
}

/** Returns the line that the evidence of an edge names; `undefined` if it names none. */
export function lineOfEdge({ evidence }: GraphEdge): number | undefined {
  const line = /^line (\d{1,7})/u.exec(evidence)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Returns the lines of a use, such as a call, as a source. The edge says the line. */
export async function useSource(
  inquiry: Inquiry,
  node: GraphNode,
  edge: GraphEdge,
): Promise<UseSource | undefined> {
  const repository = repositoryOf(inquiry, node.key);
  const place = placeOfKey(node.key);
  if (repository === undefined || place === undefined) return undefined;
  const { deps, scope, signal } = inquiry;
  const { path } = place;
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  if (file?.content === undefined) return undefined;
  const lines = file.content.split(/\r?\n/u);
  const startOfNode = node.props['startLine'];
  const line = lineOfEdge(edge) ?? (typeof startOfNode === 'number' ? startOfNode : 1);
  const startLine = Math.max(1, Math.min(line, lines.length) - around);
  const endLine = Math.min(lines.length, startLine + 2 * around);
  const span = { path, commit: file.commit, startLine, endLine };
  return {
    kind: 'code',
    line,
    text: excerptOf(lines.slice(line - 1, line)).trim(),
    repository: repository.name,
    ...span,
    uri: fileUri(repository.name, span),
    url: deps.urls.file(scope, repository, span),
    title: visibleLine(`${node.name} in ${repository.name}/${path}:${line}`),
    excerpt: excerptOf(lines.slice(startLine - 1, endLine)),
    reasons: [`${edge.kind} (${edge.rule}, ${edge.confidence} %)`],
  };
}
