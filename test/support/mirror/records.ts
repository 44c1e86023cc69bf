import type { z } from 'zod';
import type { incidentRecords } from '../../../src/features/connectors/oncall/records/incident.ts';
import type { serviceRecords } from '../../../src/features/connectors/oncall/records/records.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import type { customer } from '../../../src/features/connectors/tracker/kinds/customer.ts';
import type { cycle } from '../../../src/features/connectors/tracker/kinds/cycle.ts';
import type { document } from '../../../src/features/connectors/tracker/kinds/document.ts';
import type { initiative } from '../../../src/features/connectors/tracker/kinds/initiative.ts';
import type { issue } from '../../../src/features/connectors/tracker/kinds/issue.ts';
import type { label } from '../../../src/features/connectors/tracker/kinds/label.ts';
import type { project } from '../../../src/features/connectors/tracker/kinds/project.ts';
import type { team } from '../../../src/features/connectors/tracker/kinds/team.ts';
import type {
  initiativeUpdate,
  projectUpdate,
} from '../../../src/features/connectors/tracker/kinds/updates.ts';
import type { user } from '../../../src/features/connectors/tracker/kinds/user.ts';
import { type ParsedRecord, parseRecord as parse } from '../../../src/features/mirror/format/parse-record.ts';
import {
  normalizeRecord as normalize,
  printRecord as print,
} from '../../../src/features/mirror/format/print-record.ts';
import {
  kindAt,
  kindOf,
  type MirroredRecord,
  type RecordKind,
} from '../../../src/features/mirror/format/record-kind.ts';

// The records of all connectors, with their types.

type TrackerKinds = [
  typeof customer,
  typeof cycle,
  typeof document,
  typeof initiative,
  typeof initiativeUpdate,
  typeof issue,
  typeof label,
  typeof project,
  typeof projectUpdate,
  typeof team,
  typeof user,
];

type Shape =
  | TrackerKinds[number]['record']['shape']
  | (typeof incidentRecords)['shape']
  | (typeof serviceRecords)['shape'];

/** A record as a connector gives it: lists in any order, text with any line ends, times with any offset. */
export type RecordInput = z.input<Shape>;

export const allRecords = connectors.map(({ records }) => records);

export const recordKinds = allRecords.flatMap((records) => records.kinds);

export function recordsOf(connector: string) {
  const records = allRecords.find(({ root }) => root === connector);
  if (records === undefined) throw new TypeError(`no connector: ${connector}`);
  return records;
}

function kindOfRecord({ type }: { readonly type: string }): RecordKind {
  return kindOf(recordKinds, type);
}

export function printRecord(record: RecordInput | MirroredRecord) {
  return print(kindOfRecord(record), record);
}

export function normalizeRecord(record: RecordInput): MirroredRecord {
  return normalize(kindOfRecord(record), record);
}

export function parseRecord(path: string, content: string): ParsedRecord | undefined {
  return parse(recordKinds, path, content);
}

export function recordTypeAt(path: string): string | undefined {
  return kindAt(recordKinds, path)?.type;
}
