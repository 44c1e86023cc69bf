import { peopleIn } from '../../../mirror/format/mask-emails.ts';
import { normalizeRecord } from '../../../mirror/format/print-record.ts';
import type { MirroredRecord, RecordInput } from '../../../mirror/format/record.ts';
import type { EntityContent, RenderedEntity } from '../../entities/entity.ts';
import type { EntityId } from '../../port.ts';
import type { Entity } from '../client/shapes.ts';
import { containersOf, type MirroredEntity } from '../sync/scope-facts.ts';
import { type AssetOptions, findAddresses } from './addresses.ts';
import { issueRecord } from './issue-record.ts';
import { labelItem, teamItem, userItem } from './list-items.ts';
import { linkLabelOf, namesOf, titleOf } from './names.ts';
import { customerRecord, cycleRecord, documentRecord } from './other-records.ts';
import {
  initiativeRecord,
  initiativeUpdateRecord,
  projectRecord,
  projectUpdateRecord,
} from './project-records.ts';

/** The parts of an entity that pages do not contain. */
export interface EntityDetails {
  readonly comments: readonly Entity<'comment'>[];
  /** The requests of a customer. */
  readonly needs: readonly Entity<'customer-need'>[];
}

/**
 * Returns an entity as the mirror stores it: its record, the addresses and assets in its texts, and the ids of its
 * parts. Pure: the same entity gives the same result, in whatever order the provider lists its parts.
 * @throws ZodError if a field does not have the form that the schema of the provider promises
 */
export function renderEntity(
  mirrored: MirroredEntity,
  details: EntityDetails,
  options: AssetOptions,
): RenderedEntity {
  const { kind, entity } = mirrored;
  const content = contentOf(mirrored, details);
  const site = 'url' in entity ? entity.url : '';
  const addresses =
    'record' in content ? findAddresses(content.record, site, options) : { references: [], assets: [] };
  return {
    kind,
    id: entity.id,
    parent: parentOf(mirrored),
    updatedAt: entity.updatedAt,
    origin: `${kind} ${titleOf(mirrored)}`,
    content,
    links: {
      label: linkLabelOf(mirrored),
      names: namesOf(mirrored),
      references: addresses.references,
      mentions: 'record' in content ? mentionsOf(mirrored, content.record) : undefined,
    },
    assets: addresses.assets,
    parts: partsOf(mirrored, details),
  };
}

/** Returns the items of `users.yaml` and `labels.yaml` that a record names. */
function mentionsOf({ kind, entity }: MirroredEntity, record: MirroredRecord): readonly string[] {
  const labels = kind === 'issue' ? entity.labels : [];
  return [
    ...[...peopleIn(record)].map((id) => `users ${id}`),
    ...labels.map(({ id }) => `labels ${id}`),
  ].toSorted();
}

function contentOf({ kind, entity }: MirroredEntity, { comments, needs }: EntityDetails): EntityContent {
  switch (kind) {
    case 'issue-label':
      return labelItem(entity);
    case 'user':
      return userItem(entity);
    case 'team':
      return teamItem(entity);
    case 'issue':
      return recordOf(issueRecord(entity, comments));
    case 'document':
      return recordOf(documentRecord(entity, comments));
    case 'project':
      return recordOf(projectRecord(entity, comments));
    case 'project-update':
      return recordOf(projectUpdateRecord(entity, comments));
    case 'initiative':
      return recordOf(initiativeRecord(entity, comments));
    case 'initiative-update':
      return recordOf(initiativeUpdateRecord(entity, comments));
    case 'cycle':
      return recordOf(cycleRecord(entity));
    case 'customer':
      return recordOf(customerRecord(entity, needs));
  }
}

function recordOf(input: RecordInput): EntityContent {
  const record = normalizeRecord(input);
  if ('items' in record) throw new Error('A record is a list.');
  return { record };
}

/** Returns the entity that another one is deleted with. An initiative outlives its projects. */
function parentOf(mirrored: MirroredEntity): EntityId | undefined {
  return mirrored.kind === 'initiative' ? undefined : containersOf(mirrored)[0];
}

function partsOf(mirrored: MirroredEntity, { comments, needs }: EntityDetails): readonly EntityId[] {
  const { kind, entity } = mirrored;
  return [
    ...comments.map(({ id }) => ({ kind: 'comment', id })),
    ...(kind === 'customer' ? needs.map(({ id }) => ({ kind: 'customer-need', id })) : []),
    ...(kind === 'issue' ? entity.attachments.map(({ id }) => ({ kind: 'attachment', id })) : []),
  ];
}
