import { addressPattern, linkRecords } from '../../../mirror/format/link-records.ts';
import { plainLine } from '../../../mirror/format/plain-text.ts';
import { bodyOf, entriesOf, normalizeRecord, sectionsOf } from '../../../mirror/format/print-record.ts';
import type { MirroredRecord, RecordKind } from '../../../mirror/format/record-kind.ts';
import { isUpload } from '../../assets/fetch-asset.ts';
import type { EntityContent, EntityLinks, Reference, RenderedEntity } from '../../entities/entity.ts';
import { kinds } from '../kinds/kinds.ts';
import { commentEntries } from '../kinds/record-fields.ts';
import { type EntityDetails, pathOf, type TrackerEntity, type TrackerKind } from '../kinds/tracker-kind.ts';

/**
 * Returns an entity as the mirror stores it: its record, the addresses and assets in its texts, and the ids of its
 * parts. Pure: the same entity gives the same result, in whatever order the provider lists its parts.
 * @throws ZodError if a field does not have the form that the schema of the provider promises
 */
export function renderEntity(
  kind: TrackerKind,
  entity: TrackerEntity,
  details: EntityDetails,
  options: AssetOptions,
): RenderedEntity {
  const content = contentOf(kind, entity, details);
  const record = 'record' in content ? content.record : undefined;
  const addresses = record && findAddresses(kind.record, record, entity.url ?? '', options);
  const title = kind.titleOf(entity);
  return {
    kind: kind.name,
    id: entity.id,
    parent: kind.scope.outlives === true ? undefined : kind.containersOf?.(entity)[0],
    updatedAt: entity.updatedAt,
    origin: `${kind.name} ${title}`,
    content,
    links: {
      label: linkLabel(kind, title),
      names: kind.namesOf?.(entity) ?? [],
      references: addresses?.references ?? [],
      mentions: record && mentionsOf(kind, entity, record),
    },
    assets: addresses?.assets ?? [],
    parts: [
      ...details.comments.map(({ id, updatedAt }) => ({ kind: 'comment', id, updatedAt })),
      ...(kind.partsOf?.(entity, details) ?? []),
    ],
  };
}

/** Returns the items of lists that a record names. */
function mentionsOf(kind: TrackerKind, entity: TrackerEntity, record: MirroredRecord): readonly string[] {
  const others = kind.mentionsOf?.(entity) ?? [];
  return [...peopleIn(record).map((id) => `users ${id}`), ...others].toSorted();
}

function contentOf(
  { record: kind, render }: TrackerKind,
  entity: TrackerEntity,
  details: EntityDetails,
): EntityContent {
  const { type } = kind;
  const rendered = render(entity, details) as object;
  if ('items' in kind.shape.shape) {
    const { items } = normalizeRecord(kind, { type, items: [rendered] });
    return { list: type, item: (items as readonly [{ id: string }])[0] };
  }
  const comments = commentEntries(details.comments);
  return { record: normalizeRecord(kind, { ...rendered, type, comments }) };
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

/** The choice of the files of other hosts that are copied. */
export interface AssetOptions {
  /** Origin of the provider's uploads. */
  readonly uploadsOrigin: string;
  /** True to copy files that were uploaded to the provider. */
  readonly uploads: boolean;
  /** True to copy images and media of other hosts that texts embed. Links are never followed. */
  readonly embedded: boolean;
}

/** Maximum numbers for one entity; further addresses stay as they are. */
const maxReferences = 500;
const maxAssets = 100;
const maxUrlLength = 2_000;

/**
 * Finds the addresses in the texts of a record, outside of code, and those of its attachments. @param site its address
 */
function findAddresses(
  kind: RecordKind,
  record: MirroredRecord,
  site: string,
  { uploadsOrigin, ...isCopied }: AssetOptions,
): Pick<EntityLinks, 'references'> & Pick<RenderedEntity, 'assets'> {
  const references = new Map<string, Reference>();
  const assets = new Set<string>();
  const add = (url: string, isEmbedded: boolean): void => {
    if (url.length > maxUrlLength) return;
    if (isUpload(url, uploadsOrigin) ? isCopied.uploads : isEmbedded && isCopied.embedded) {
      if (assets.size < maxAssets) assets.add(url);
      return;
    }
    const name = nameAt(url, site);
    if (name !== undefined && references.size < maxReferences) references.set(url, { url, name });
  };
  const attachments = (record['attachments'] ?? []) as readonly { readonly url?: string }[];
  for (const { url } of attachments) {
    if (url !== undefined && isUpload(url, uploadsOrigin)) add(url, false);
  }
  const entries = sectionsOf(kind).flatMap(({ key }) => entriesOf(record, key));
  for (const text of [bodyOf(record), ...entries.map(({ body }) => body)]) {
    if (!text.includes('://')) continue;
    const found = [...text.matchAll(embed)];
    const embedded = new Set(found.map(([, url = '']) => url.replace(/[.,;:!?]{1,8}$/u, '')));
    linkRecords(text, '', (url) => {
      add(url, embedded.has(url));
    });
  }
  return { references: [...references.values()], assets: [...assets] };
}

/**
 * An image in Markdown, or the start of an element that shows a file. Each part has a maximum, so that it takes linear
 * time.
 */
const embed = new RegExp(
  String.raw`(?:!\[[^\]\n]{0,500}\]\(\s{0,8}<?|<(?:img|video|audio|source)\s(?:[^>\n]{0,500}\s)?src=["'])(${addressPattern})`,
  'giu',
);

/** Maximum length of the text of a link, in characters. */
const maxLabelLength = 100;

/** Returns the text of a link to an entity, in which nothing is Markdown. */
function linkLabel({ name }: TrackerKind, title: string): string {
  const text = plainLine(title).slice(0, maxLabelLength).toWellFormed().trim();
  return text.replaceAll(/[\\`*_[\]<>&!|~]/gu, '\\$&') || name;
}

/**
 * Returns the name of the entity that an address of the same workspace leads to. @param site an address of the
 * workspace
 */
function nameAt(address: string, site: string): string | undefined {
  const url = URL.parse(address);
  const own = URL.parse(site);
  if (url === null || own === null || url.origin !== own.origin) return undefined;
  if (workspaceOf(url) !== workspaceOf(own)) return undefined;
  const path = pathOf(address);
  return kinds.map(({ nameIn }) => nameIn?.(path)).find((name) => name !== undefined);
}

function workspaceOf({ pathname }: URL): string | undefined {
  return pathname.split('/')[1]?.toLowerCase();
}
