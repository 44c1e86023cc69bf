import { normalizeRecord } from '../../../mirror/format/print-record.ts';
import type { MirroredRecord } from '../../../mirror/format/record-kind.ts';
import type { EntityContent, RenderedEntity } from '../../entities/entity.ts';
import { kindOf, type MirroredEntity } from '../kinds/kinds.ts';
import type { EntityDetails } from '../kinds/tracker-kind.ts';
import { containersOf } from '../sync/tracker-scope.ts';
import { type AssetOptions, findAddresses, linkLabelOf } from './addresses.ts';

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
  const { entity } = mirrored;
  const kind = kindOf(mirrored);
  const content = contentOf(mirrored, details);
  const record = 'record' in content ? content.record : undefined;
  const site = 'url' in entity ? entity.url : '';
  const addresses = record && findAddresses(kind.record, record, site, options);
  return {
    kind: kind.kind,
    id: entity.id,
    parent: kind.scope.outlives === true ? undefined : containersOf(mirrored)[0],
    updatedAt: entity.updatedAt,
    origin: `${kind.kind} ${kind.titleOf(entity)}`,
    content,
    links: {
      label: linkLabelOf(mirrored),
      names: kind.namesOf?.(entity) ?? [],
      references: addresses?.references ?? [],
      mentions: record && mentionsOf(mirrored, record),
    },
    assets: addresses?.assets ?? [],
    parts: [
      ...details.comments.map(({ id }) => ({ kind: 'comment', id })),
      ...(kind.partsOf?.(entity, details) ?? []),
    ],
  };
}

/** Returns the items of lists that a record names. */
function mentionsOf(mirrored: MirroredEntity, record: MirroredRecord): readonly string[] {
  const others = kindOf(mirrored).mentionsOf?.(mirrored.entity) ?? [];
  return [...peopleIn(record).map((id) => `users ${id}`), ...others].toSorted();
}

function contentOf(mirrored: MirroredEntity, details: EntityDetails): EntityContent {
  const { record: kind, render } = kindOf(mirrored);
  const { type } = kind;
  const rendered = render(mirrored.entity, details) as object;
  if (!('items' in kind.shape.shape)) return { record: normalizeRecord(kind, { ...rendered, type }) };
  const { items } = normalizeRecord(kind, { type, items: [rendered] });
  return { list: type, item: (items as readonly [{ id: string }])[0] };
}

/** Returns the ids of the people that a record names: of its values with an id and a name, and nothing else. */
function peopleIn(record: MirroredRecord): readonly string[] {
  const ids = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('id' in value && 'name' in value && Object.keys(value).length === 2) ids.add(String(value.id));
    else for (const field of Object.values(value)) collect(field);
  };
  collect(record);
  return [...ids];
}
