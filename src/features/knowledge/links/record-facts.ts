import { bodyOf, entriesOf, sectionsOf } from '../../mirror/format/print-record.ts';
import type {
  ConnectorRecords,
  Description,
  MirroredRecord,
  RecordKind,
} from '../../mirror/format/record-kind.ts';
import type { FactList, Reason } from './fact-list.ts';
import { serviceName } from './names.ts';
import { addReferences, type TextField } from './text-references.ts';

/** The connection whose records a context repository contains below the folder of its connector. */
export interface RecordSource {
  readonly connectionId: string;
  readonly records: ConnectorRecords;
}

/** A parsed record with its kind. */
interface KnownRecord {
  readonly kind: RecordKind;
  readonly record: MirroredRecord;
}

/** Adds what a mirrored record says. */
export function addRecord(
  facts: FactList,
  source: RecordSource,
  path: string,
  { kind, record }: KnownRecord,
): void {
  const place =
    'items' in record ? {} : { url: textOf(record, 'url'), path, createdAt: textOf(record, 'createdAt') };
  const [own] = (kind.describe?.(record) ?? []).map((description, index) => {
    const entity = description.kind ?? kind.entity ?? '';
    // The record itself is about the first one; it only names the others.
    addEntity(facts, source, { ...description, kind: entity }, index === 0 ? place : {});
    return { key: keyOf(source, entity, description.id), names: description.names ?? [] };
  });
  if (own === undefined) return;
  addReferences(facts, own.key, textsOf(kind, record), {
    except: own.names,
    code: true,
    frames: kind.traces === true,
  });
}

function addEntity(
  facts: FactList,
  source: RecordSource,
  description: Description & { readonly kind: string },
  place: Description['properties'],
): void {
  const {
    kind,
    id,
    title,
    identifier,
    names = [],
    catalogId,
    state,
    people = [],
    refersTo = [],
  } = description;
  const key = keyOf(source, kind, id);
  if (title !== undefined) {
    const known = state && { open: state.open, state: state.name };
    const connector = kind === personKind ? undefined : source.records.root;
    facts.node(key, title, { ...place, identifier, ...known, ...description.properties, connector });
  }
  for (const name of names) {
    facts.node(`alias:${name}`, name);
    facts.alias(name, key, 'identifier');
  }
  if (catalogId !== undefined) facts.alias(serviceName(catalogId), key, 'service');
  for (const { edge, field, kind: target, id: to } of refersTo) {
    if (target === undefined) facts.mention(key, edge, to, given(field));
    else facts.edge(key, edge, keyOf(source, target, to), given(field));
  }
  for (const { edge, field, person } of people)
    facts.edge(key, edge, facts.node(keyOf(source, personKind, person.id), person.name), given(field));
}

const personKind = 'person';

/** People are those of the provider, whatever connection names them. */
function keyOf({ connectionId, records }: RecordSource, kind: string, id: string): string {
  return `${kind}:${kind === personKind ? records.root : connectionId}:${id}`;
}

function given(field: string): Reason {
  return { rule: 'record', evidence: field, confidence: 100 };
}

function textOf(record: MirroredRecord, key: string): string | undefined {
  return record[key] as string | undefined;
}

/** Returns the texts of a record, each with the name that evidence has for it. */
function textsOf(kind: RecordKind, record: MirroredRecord): readonly TextField[] {
  const attachments = (record['attachments'] ?? []) as readonly { id: string; url?: string }[];
  return [
    { field: 'title', text: textOf(record, 'title') ?? '' },
    ...attachments.map(({ id, url = '' }) => ({ field: `attachment ${id}`, text: url })),
    { field: 'body', text: bodyOf(record) },
    ...sectionsOf(kind).flatMap(({ key, entry }) =>
      entriesOf(record, key).map(({ id, title, body }) => ({
        field: `${entry} ${id}`,
        text: title === undefined ? body : `${title}\n${body}`,
      })),
    ),
  ];
}
