import type { EntityRecord, RelationRecord } from '../../../features/knowledge/entity-record.ts';
import { placeOfKey } from '../../../features/knowledge/links/keys.ts';
import { printAddress, printCommit } from '../../../features/search/address.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

/** Maximum length of a name or other text of a provider in an answer. */
const maxTextCharacters = 300;

/** The same for a name in the line of an edge. */
const maxNameOfEdge = 80;

/** Properties that the address of an entity or its name says already. */
const said = new Set(['path', 'kind', 'startLine', 'endLine', 'qualifiedName', 'identifier', 'sha']);

/** Describes an entity in one line: its address or key, its name, and what is known of it. */
export function entityLine(entity: EntityRecord): string {
  const { url, properties } = entity;
  const parts = Object.entries(properties)
    .filter(([label]) => !said.has(label))
    .map(
      ([label, value]) =>
        `${label}: ${typeof value === 'string' ? shorten(value, maxTextCharacters) : value}`,
    );
  const rest = [...parts, ...(url === null ? [] : [url])].join('; ');
  return visibleLine(`${addressOf(entity)}: ${namedKind(entity)}${rest === '' ? '' : `; ${rest}`}`);
}

/**
 * Describes an edge and its reason in one line. `nodes` has the entities at its ends by key; of all but `own`, which
 * the answer describes already, it says the names too.
 */
export function relationLine(
  { from, kind, to, rule, evidence, confidence, certainty }: RelationRecord,
  nodes: ReadonlyMap<string, EntityRecord>,
  own: string,
): string {
  const verb = certainty === 'certain' ? kind : `possibly ${kind}`;
  const end = (key: string): string => {
    const node = nodes.get(key);
    if (node === undefined) return key;
    return key === own || node.kind === 'file'
      ? addressOf(node)
      : `${addressOf(node)} ${namedKind(node, maxNameOfEdge)}`;
  };
  const because = evidence === '' ? rule : `${rule}: ${shorten(evidence, maxTextCharacters)}`;
  return visibleLine(`${end(from)} ${verb} ${end(to)} (${because}; ${confidence} %)`);
}

/** Returns what every tool that takes an entity accepts: the address of a place, a resource, or the key. */
function addressOf({ key, kind, uri, repository, properties }: EntityRecord): string {
  const path = placeOfKey(key)?.path;
  const { sha, startLine, endLine } = properties;
  if (kind === 'commit' && repository !== null && typeof sha === 'string')
    return printCommit(repository, sha);
  if (repository === null || path === undefined) return uri ?? key;
  if (kind === 'file') return printAddress({ repository, path });
  return typeof startLine === 'number' && typeof endLine === 'number'
    ? printAddress({ repository, path, lines: { first: startLine, last: endLine } })
    : key;
}

function namedKind(
  { kind, name, properties: { qualifiedName, kind: symbolKind } }: EntityRecord,
  maxName = maxTextCharacters,
): string {
  if (kind === 'file') return kind;
  if (kind === 'symbol') return [kind, symbolKind, qualifiedName ?? name].filter(Boolean).join(' ');
  return `${kind} ${JSON.stringify(shorten(name, maxName))}`;
}
