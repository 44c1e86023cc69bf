import type { GraphNode } from '../../../backends/graph/port.ts';
import { placeOfKey } from '../../knowledge/links/keys.ts';
import { definedName } from '../../knowledge/queries/file-definitions.ts';
import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import type { Place } from '../../search/address.ts';
import type { Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith, type Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { addressValue, nextCall, placeSource, placeText } from './place-source.ts';

/** Returns the definitions and files among some nodes, of repositories that can be searched. */
export function targetsIn(inquiry: Pick<Inquiry, 'ranked'>, nodes: readonly GraphNode[]): readonly Target[] {
  return nodes.flatMap((node) => {
    const place = placeOfKey(node.key);
    const repository = repositoryWith(inquiry, place?.repositoryId);
    if (place === undefined || repository === undefined) return [];
    const [defined] = definedName(node);
    const lines = defined && {
      lines: { first: defined.line, last: Math.max(defined.line, defined.endLine) },
    };
    return [{ node, repository, path: place.path, isNamed: true, ...lines }];
  });
}

/** Returns a target for a line of an answer: its name and place, with the place as a source. */
export function targetSentence(inquiry: Inquiry, target: Target, reason = 'asked about'): Sentence {
  const { repository, path, lines } = target;
  if (path === '') return [targetText(target)];
  const { first: startLine, last: endLine } = lines ?? { first: 1, last: 1 };
  const source = placeSource(inquiry, repository, { path, startLine, endLine, text: '', reason });
  return [targetText(target), source];
}

/** Returns what formats a related definition or file with its place. */
export function placeOf(inquiry: Inquiry): (related: RelatedNode) => Sentence {
  return ({ node, edge }) => {
    const [target] = targetsIn(inquiry, [node]);
    return target === undefined ? [inlineCode(node.name)] : targetSentence(inquiry, target, edge.kind);
  };
}

/** Formats a target for a line of an answer: its name and its place. */
export function targetText({ node, repository, path, lines }: Target): string {
  const place = placeText(repository.name, path, lines);
  return node.kind === 'symbol'
    ? `${inlineCode(String(node.props['qualifiedName'] ?? node.name))} at ${place}`
    : place;
}

/** Returns the first line of a target as a place. */
export function startOf({ path, repository, lines: { first } = { first: 1, last: 1 } }: Target): Place {
  return { repository: repository.name, path, lines: { first, last: first } };
}

/** Returns the call that lists the references of a target. */
export function nextReferences({ ranked }: Inquiry, target: Target): readonly string[] {
  return nextCall('find_references', { address: addressValue(startOf(target), ranked.repositories) });
}

/** Returns the call that lists the definitions with the name of some, in their repositories if these are few. */
export function nextDefinitions(targets: readonly Target[]): readonly string[] {
  const repositories = [...new Set(targets.map(({ repository }) => repository.name))];
  const where = repositories.length > 8 ? {} : { repositories };
  return nextCall('search_code', { query: `sym:${targets[0]!.node.name}`, ...where });
}
