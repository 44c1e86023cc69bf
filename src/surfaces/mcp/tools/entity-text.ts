import type { EntityRecord, RelationRecord } from '../../../features/knowledge/entity-record.ts';
import { placeOfKey } from '../../../features/knowledge/links/keys.ts';
import { printAddress } from '../../../features/search/address.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

/** Maximum length of a name or other text of a provider in an answer. */
const maxTextCharacters = 300;

/** Properties that the address of an entity or its name says already. */
const said = new Set(['path', 'kind', 'startLine', 'endLine', 'qualifiedName', 'identifier', 'sha']);

/** Describes an entity in one line: its address or key, its name, and what is known of it. */
export function entityLine(entity: EntityRecord): string {
  const { kind, url, properties } = entity;
  const parts = Object.entries(properties)
    .filter(([label]) => !said.has(label))
    .map(
      ([label, value]) =>
        `${label}: ${typeof value === 'string' ? shorten(value, maxTextCharacters) : value}`,
    );
  const rest = [...parts, ...(url === null ? [] : [url])].join('; ');
  return visibleLine(
    `${addressOf(entity)}: ${[kind, nameOf(entity)].filter(Boolean).join(' ')}${rest === '' ? '' : `; ${rest}`}`,
  );
}

/** Describes an edge and its reason in one line. `nodes` has the entities at its ends by key. */
export function relationLine(relation: RelationRecord, nodes: ReadonlyMap<string, EntityRecord>): string {
  const { from, kind, to, rule, evidence, confidence, certainty } = relation;
  const verb = certainty === 'certain' ? kind : `possibly ${kind}`;
  const end = (key: string): string => {
    const node = nodes.get(key);
    return node === undefined ? key : addressOf(node);
  };
  const because = evidence === '' ? rule : `${rule}: ${shorten(evidence, maxTextCharacters)}`;
  return visibleLine(`${end(from)} ${verb} ${end(to)} (${because}; ${confidence} %)`);
}

/** Returns what every tool that takes an entity accepts: the address of a place, a resource, or the key. */
function addressOf({ key, kind, uri, repository, properties }: EntityRecord): string {
  const path = placeOfKey(key)?.path;
  if (repository === null || path === undefined) return uri ?? key;
  if (kind === 'file') return printAddress({ repository, path });
  const { startLine, endLine } = properties;
  return typeof startLine === 'number' && typeof endLine === 'number'
    ? printAddress({ repository, path, lines: { first: startLine, last: endLine } })
    : key;
}

function nameOf({ kind, name, properties: { qualifiedName, kind: symbolKind } }: EntityRecord): string {
  if (kind === 'file') return '';
  if (kind === 'symbol') return [symbolKind, qualifiedName ?? name].filter(Boolean).join(' ');
  return JSON.stringify(shorten(name, maxTextCharacters));
}
