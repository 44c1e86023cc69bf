import type { EntityRecord, RelationRecord } from '../../../features/knowledge/entity-record.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';

/** Maximum length of a name or other text of a provider in an answer. */
const maxTextCharacters = 300;

/** Shortens the texts of an entity, which providers wrote. */
export function shortEntity(entity: EntityRecord): EntityRecord {
  const properties = Object.fromEntries(
    Object.entries(entity.properties).map(([name, value]) => [
      name,
      typeof value === 'string' ? shorten(value, maxTextCharacters) : value,
    ]),
  );
  return { ...entity, name: shorten(entity.name, maxTextCharacters), properties };
}

export function shortRelation(relation: RelationRecord): RelationRecord {
  return { ...relation, evidence: shorten(relation.evidence, maxTextCharacters) };
}

/** Describes an entity in one line. */
export function entityLine({ key, kind, name, url, uri, repository, properties }: EntityRecord): string {
  const parts = Object.entries(properties).map(([label, value]) => `${label}: ${value}`);
  const places = [repository === null ? undefined : `repository: ${repository}`, url, uri];
  const rest = [...parts, ...places.filter((place) => typeof place === 'string')].join('; ');
  return visibleLine(`${kind} "${name}" [${key}]${rest === '' ? '' : `: ${rest}`}`);
}

/** Describes an edge and its reason in one line. */
export function relationLine(relation: RelationRecord): string {
  const { from, kind, to, rule, evidence, confidence, certainty } = relation;
  const verb = certainty === 'certain' ? kind : `possibly ${kind}`;
  return visibleLine(
    `${from} ${verb} ${to} (${rule}${evidence === '' ? '' : `: ${evidence}`}; ${confidence} %)`,
  );
}
