import type { EdgeKind } from '../../../backends/graph/port.ts';
import type { ParsedRecord } from '../../mirror/format/parse-record.ts';
import { bodyOf, entriesOf, sectionsOf } from '../../mirror/format/print-record.ts';
import type {
  ConnectorRecords,
  Description,
  MirroredRecord,
  RecordKind,
  Subject,
} from '../../mirror/format/record-kind.ts';
import type { FactList, Reason } from './fact-list.ts';
import { serviceName } from './keys.ts';
import { addReferences, type TextField } from './text-references.ts';

/** The connection whose records a context repository contains below the folder of its connector. */
export interface RecordSource {
  readonly connectionId: string;
  readonly records: ConnectorRecords;
}

/** Adds what a mirrored record says. */
export function addRecord(
  facts: FactList,
  source: RecordSource,
  path: string,
  { kind, record }: ParsedRecord,
): void {
  const { items } = record;
  const subjects = (Array.isArray(items) ? items : [record]) as readonly Subject[];
  for (const subject of subjects) {
    const [own, ...others] = [kind.describe?.(subject) ?? []].flat();
    if (own === undefined) continue;
    const { createdAt, url } = subject as { createdAt?: string; url?: string };
    const place = subject === record ? { url, path, createdAt } : {};
    const key = addEntity(facts, source, kind, own, place);
    for (const other of others) addEntity(facts, source, kind, other, {});
    addLinks(facts, source, { key, kind, subject }, own);
    if (subject !== record) continue;
    const options = { except: own.names ?? [], code: true, frames: kind.traces === true };
    addReferences(facts, key, textsOf(kind, record), options);
  }
}

/** Adds an entity with its names, and returns its key. */
function addEntity(
  facts: FactList,
  source: RecordSource,
  { entity = '' }: RecordKind,
  { kind = entity, id, title, identifier, names = [], catalogId, state, properties }: Description,
  place: Description['properties'],
): string {
  const key = keyOf(source, kind, id);
  if (title !== undefined) {
    const known = state && { open: state.open, state: state.name };
    const connector = kind === personKind ? undefined : source.records.root;
    facts.node(key, title, { ...place, identifier, ...known, ...properties, connector });
  }
  for (const name of names) {
    facts.node(`alias:${name}`, name);
    facts.alias(name, key, 'identifier');
  }
  if (catalogId !== undefined) facts.alias(serviceName(catalogId), key, 'catalog-id');
  return key;
}

function addLinks(
  facts: FactList,
  source: RecordSource,
  { key, kind, subject }: { readonly key: string; readonly kind: RecordKind; readonly subject: Subject },
  { names = [], mentions = [] }: Description,
): void {
  const mention = (edge: EdgeKind, field: string, name: string): void => {
    if (!names.includes(name.toUpperCase())) facts.mention(key, edge, name.toUpperCase(), given(field));
  };
  for (const [field, link] of Object.entries(kind.links ?? {})) {
    if (link === undefined) continue;
    const [edge, target] = link;
    for (const value of valuesOf(subject[field])) {
      const id = typeof value === 'string' ? value : value.id;
      if (target === undefined) mention(edge, field, id);
      else facts.edge(key, edge, keyOf(source, target, id), given(field));
    }
  }
  for (const { edge, field, name } of mentions) mention(edge, field, name);
  for (const [field, edge] of Object.entries(kind.people ?? {})) {
    if (edge === undefined) continue;
    for (const person of valuesOf(subject[field])) {
      if (typeof person === 'string') continue;
      facts.edge(key, edge, facts.node(keyOf(source, personKind, person.id), person.name), given(field));
    }
  }
}

/** Returns the values of a field: ids, or what has an id and a name. */
function valuesOf(field: unknown): readonly (string | { readonly id: string; readonly name: string })[] {
  return (Array.isArray(field) ? field : [field ?? []].flat()) as ReturnType<typeof valuesOf>;
}

const personKind = 'person';

/** People are those of the provider, whatever connection names them. */
function keyOf({ connectionId, records }: RecordSource, kind: string, id: string): string {
  return `${kind}:${kind === personKind ? records.root : connectionId}:${id}`;
}

function given(field: string): Reason {
  return { rule: 'record', evidence: field, confidence: 100 };
}

/** Returns the texts of a record, each with the name that evidence has for it. */
function textsOf(kind: RecordKind, record: MirroredRecord): readonly TextField[] {
  const attachments = (record['attachments'] ?? []) as readonly { id: string; url?: string }[];
  return [
    { field: 'title', text: (record['title'] ?? '') as string },
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
