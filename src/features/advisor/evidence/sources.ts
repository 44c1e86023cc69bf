import type { SourceHistoryCommit } from '../../../backends/codesearch/port.ts';
import type { GraphNode } from '../../../backends/graph/port.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { printCommitUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import { entityUri } from '../../knowledge/entity-uri.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import { printCommit } from '../../search/address.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { type Source, type SourceKind, sourceKinds } from '../answer.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode, plainText, quoted } from '../text/markdown.ts';
import { readText } from './line-source.ts';
import { shownLines } from './place-source.ts';

/** A commit of a repository that can be searched, as its author wrote it. */
export interface PastCommit extends Pick<SourceHistoryCommit, 'id' | 'time' | 'paths' | 'followed'> {
  readonly repository: SearchableRepository;
  readonly author: string;
  readonly subject: string;
  /** The message without its subject; empty if it is not known. */
  readonly body: string;
}

/** Maximum lengths of a name that a provider or author wrote, and of the text of a message and of a record. */
const max = { name: 200, message: 1_000, record: 4_000 } as const;

/** Returns a commit as a source. */
export function commitSource(
  { deps, scope }: Pick<Inquiry, 'deps' | 'scope'>,
  commit: PastCommit,
  reason = 'history',
): Source {
  const { repository, id, author, body } = commit;
  const subject = shorten(visibleLine(commit.subject), max.name);
  const facts = [visibleLine(author), dayOf(commit.time)].filter(Boolean).join(', ');
  const text = shownLines(body.slice(0, max.message).trim().split('\n'));
  return {
    kind: 'commit',
    repository: repository.name,
    commit: id,
    address: printCommit(repository.name, id),
    uri: printCommitUri(repository.name, id),
    url: deps.urls.commit(scope, repository, id),
    title: `commit ${shortCommit(id)} in ${repository.name}: ${subject}`,
    excerpt: [subject, facts, text].filter(Boolean).join('\n'),
    reason,
  };
}

/** Returns the day of a time in seconds, UTC. */
export function dayOf(seconds: number): string {
  return seconds > 0 && Number.isFinite(seconds) ? isoTime(seconds * 1000).slice(0, 10) : '';
}

/** Returns the kind of the source that an entity is. */
export function sourceKindOf(kind: string): SourceKind {
  return sourceKinds.find((known) => known === kind) ?? 'entity';
}

/** Returns a record of a provider as a source. */
function recordSource(
  { deps, scope }: Pick<Inquiry, 'deps' | 'scope'>,
  node: GraphNode,
  { text = '', reason }: { text?: string; reason: string },
): Source {
  const name = shorten(visibleLine(node.name), max.name);
  const facts = (['state', 'urgency', 'createdAt'] as const).flatMap((field) => {
    const value = node.props[field];
    return typeof value === 'string'
      ? [`${field === 'createdAt' ? 'created' : field}: ${visibleLine(value)}`]
      : [];
  });
  const restAddress = deps.urls.entity(scope, node.key);
  const uri = entityUri(node, null) ?? restAddress;
  return {
    kind: sourceKindOf(node.kind),
    address: uri,
    uri,
    url: providerPage(node.props['url']) ?? restAddress,
    title: `${node.kind} ${name}`,
    excerpt: [name, facts.join(', '), shownLines(text.split('\n'))].filter(Boolean).join('\n'),
    reason,
  };
}

/** Returns the page that the provider gave for a record, if people can open it safely. */
function providerPage(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > 2000 || !URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  return protocol === 'https:' && username === '' && password === '' ? href : undefined;
}

/** Returns a record with the text of its mirrored file, which a repository of the organization contains. */
export async function readRecord(inquiry: Inquiry, node: GraphNode, reason: string): Promise<Source> {
  const { path } = node.props;
  const text = typeof path === 'string' ? await mirroredText(inquiry, path) : undefined;
  return recordSource(inquiry, node, given({ reason, text }));
}

/** Reads the text of the mirrored file of a record; none if several repositories have the path. */
async function mirroredText(inquiry: Inquiry, path: string): Promise<string | undefined> {
  const { view, scope, ranked } = inquiry;
  const keys = ranked.repositories.map(({ id }) => fileKey(id, path));
  const { nodes } = await view.graph.get(scope, keys);
  const repository = ranked.repositories.find(({ id }) => nodes[0]?.key === fileKey(id, path));
  if (repository === undefined || nodes.length > 1) return undefined;
  const content = (await readText(inquiry, repository, path)) ?? '';
  // The text follows the front matter.
  const end = content.startsWith('---\n') ? content.indexOf('\n---\n', 3) : -1;
  return content
    .slice(end < 0 ? 0 : end + '\n---\n'.length)
    .trim()
    .slice(0, max.record);
}

/** Describes an issue or incident: its identifier and title. */
export function recordText(node: GraphNode): string {
  const { identifier } = node.props;
  if (typeof identifier !== 'string') return quoted(node.name, 120);
  const title = node.name.startsWith(`${identifier} `) ? node.name.slice(identifier.length + 1) : node.name;
  return `${inlineCode(identifier)} ${quoted(title, 120)}`;
}

/** Describes the state of a record in a few words: `an open issue (In Progress)`. */
export function stateText({ props, kind }: GraphNode): string {
  const { state, open } = props;
  const article =
    open === undefined ? ('aeiou'.includes(kind[0]!) ? 'an' : 'a') : open === false ? 'a closed' : 'an open';
  return `${article} ${kind}${typeof state === 'string' ? ` (${plainText(state)})` : ''}`;
}

export function recordSentence(inquiry: Inquiry, node: GraphNode, reason: string): Sentence {
  return [recordText(node), recordSource(inquiry, node, { reason })];
}

/** Returns what formats a related record with its source. */
export function recordOf(inquiry: Inquiry): (related: RelatedNode) => Sentence {
  return ({ node, edge }) => recordSentence(inquiry, node, edge.kind);
}

/** Formats a related person, team or service. */
export function nameOf({ node }: RelatedNode): Sentence {
  return [plainText(node.name)];
}
