import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey } from '../../knowledge/links/keys.ts';
import { quoted, type Sentence } from '../answer/statements.ts';
import type { Source } from '../answer.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import type { Inquiry } from './inquiry.ts';
import { recordSource } from './targets/node-source.ts';

/** Maximum length of the text of a record in a pack, in characters. */
const maxText = 4000;

/** Returns a record with the text of its mirrored file, which a repository of the organization contains. */
export async function readRecord(inquiry: Inquiry, node: GraphNode, reason: string): Promise<Source> {
  const { path } = node.props;
  const text = typeof path === 'string' ? await mirroredText(inquiry, node, path) : undefined;
  return recordSource(inquiry, node, { reason, ...(text === undefined ? {} : { text }) });
}

async function mirroredText(inquiry: Inquiry, node: GraphNode, path: string): Promise<string | undefined> {
  const { view, scope, ranked, deps, signal } = inquiry;
  const keys = ranked.repositories.map(({ id }) => fileKey(id, path));
  const { nodes } = await view.graph.get(scope, keys);
  const repository = ranked.repositories.find(({ id }) => nodes[0]?.key === fileKey(id, path));
  if (repository === undefined || nodes.length > 1) return undefined;
  const file = await deps.sources.readFile(scope, { repository: repository.id, path }, signal);
  const body = file?.content?.replace(/^---\n[\s\S]*?\n---\n/u, '').trim();
  return body === undefined || node.name === '' ? undefined : body.slice(0, maxText);
}

/** Describes an issue or incident: its identifier and title. */
export function recordText(node: GraphNode): string {
  const { identifier } = node.props;
  if (typeof identifier !== 'string') return quoted(node.name, 120);
  const title = node.name.startsWith(`${identifier} `) ? node.name.slice(identifier.length + 1) : node.name;
  return `${inlineCode(identifier)} ${quoted(title, 120)}`;
}

/** Describes the state of a record in a few words. */
export function stateText({ props, kind }: GraphNode): string {
  const state = typeof props['state'] === 'string' ? props['state'] : undefined;
  const open = props['open'] === false ? 'closed' : 'open';
  return `${props['open'] === undefined ? 'a' : open === 'open' ? 'an open' : 'a closed'} ${kind}${
    state === undefined ? '' : ` (${plainText(state)})`
  }`;
}

export function recordSentence(inquiry: Inquiry, node: GraphNode, reason: string): Sentence {
  return [recordText(node), recordSource(inquiry, node, { reason })];
}
