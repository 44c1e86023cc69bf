import {
  type EntityRecord,
  entityRecord,
  impactRecord,
  type RelationRecord,
  relatedRecord,
} from '../../features/knowledge/entity-record.ts';
import type { Channel } from '../frame/channel.ts';
import { type Column, formatTable } from '../frame/lists/table.ts';
import { requiredText } from '../frame/parameters.ts';
import { type Tolerant, tolerant } from '../remote/tolerant.ts';

/** An entity as the service sends it; a newer one may send more. */
export const remoteEntity = tolerant(entityRecord);
export const remoteRelated = tolerant(relatedRecord);
export const remoteImpact = tolerant(impactRecord);

export type RemoteEntity = Tolerant<EntityRecord>;

export const keyArgument = requiredText('key', 'key of the entity, or an identifier such as ENG-123');

export function entityPath(key: string): string {
  return `/graph/entities/${encodeURIComponent(key)}`;
}

/** An edge with the entity at its other end. */
export interface Reason {
  readonly group?: string;
  readonly edge: Tolerant<RelationRecord>;
  readonly entity: Pick<RemoteEntity, 'key' | 'kind' | 'name' | 'repository' | 'properties'>;
  readonly points?: 'to' | 'from';
}

/** Formats edges as a table with their rules and evidence. */
export function reasonTable(reasons: readonly Reason[], channel: Channel): string {
  const columns: readonly Column<Reason>[] = [
    { title: 'PART', cell: ({ group }) => group ?? '' },
    { title: 'EDGE', cell: ({ edge, points }) => `${points === 'from' ? '<- ' : ''}${edge.kind}` },
    { title: 'KIND', cell: ({ entity }) => entity.kind },
    { title: 'NAME', cell: ({ entity }) => nameOf(entity), shrinks: 2 },
    { title: 'REPOSITORY', cell: ({ entity }) => entity.repository ?? '' },
    { title: 'RULE', cell: ({ edge }) => edge.rule },
    { title: 'EVIDENCE', cell: ({ edge }) => edge.evidence, shrinks: 1 },
    { title: 'CERTAINTY', cell: ({ edge }) => edge.certainty },
    { title: 'CONFIDENCE', cell: ({ edge }) => String(edge.confidence) },
    { title: 'KEY', cell: ({ entity }) => entity.key },
  ];
  return formatTable(reasons, columns, channel);
}

/** Returns the name of an entity; that of a symbol with its place. */
export function nameOf({ kind, name, properties: { path, startLine } }: Reason['entity']): string {
  return kind === 'symbol' && path !== undefined ? `${name} ${path}:${startLine ?? 1}` : name;
}
