import { bodyOf, entriesOf, frontMatterKeys, sectionsOf } from './print-record.ts';
import type { Entry, MirroredRecord, RecordKind } from './record-kind.ts';

/** A field of a record as text for readers. */
export interface RecordField {
  readonly field: string;
  readonly text: string;
}

/** A record as parts that can be shown without knowing its kind. */
export interface RecordParts {
  readonly title: string;
  readonly people: readonly RecordField[];
  /** Its state and its other fields. */
  readonly fields: readonly RecordField[];
  /** The fields that name other entities. */
  readonly refersTo: readonly RecordField[];
  /** Markdown. */
  readonly body: string;
  /** Its comments, its timeline and other lists of entries, in the order of the file, without empty ones. */
  readonly sections: readonly { readonly heading: string; readonly entries: readonly Entry[] }[];
}

/** Fields that are shown in another way, or tell a reader nothing. */
const left = new Set(['id', 'type', 'title', 'url', 'attachments']);

/** Returns the parts of a record. Texts are those of the provider: untrusted. */
export function partsOf(kind: RecordKind, record: MirroredRecord): RecordParts {
  const fields = frontMatterKeys(kind)
    .filter((key) => !left.has(key))
    .map((field) => ({ field, text: textOf(record[field]) }))
    .filter(({ text }) => text !== '');
  const isPerson = ({ field }: RecordField) => kind.people?.[field] !== undefined;
  const isLink = ({ field }: RecordField) => kind.links?.[field] !== undefined;
  return {
    title: textOf(record['title']),
    people: fields.filter(isPerson),
    fields: fields.filter((each) => !isPerson(each) && !isLink(each)),
    refersTo: fields.filter(isLink),
    body: bodyOf(record),
    sections: sectionsOf(kind)
      .map(({ key, heading }) => ({ heading, entries: entriesOf(record, key) }))
      .filter(({ entries }) => entries.length > 0),
  };
}

/** Returns a value as text; what has a name is called by it. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object') return `${value as string | number | boolean}`;
  return 'name' in value ? textOf(value.name) : Object.values(value).map(textOf).join(' ');
}
