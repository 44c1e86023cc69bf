import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { recordArbitrary } from '../../../../test/support/mirror/record-arbitrary.ts';
import {
  parseRecord,
  printRecord,
  type RecordInput,
  recordKinds,
  recordTypeAt,
} from '../../../../test/support/mirror/records.ts';
import { writablePathError } from '../../../foundation/git/writing/writable-path.ts';
import type { RecordKind } from './record-kind.ts';

function forEveryRecord(kind: RecordKind, check: (record: RecordInput) => void): void {
  fc.assert(fc.property(recordArbitrary(kind), check), { numRuns: 20 });
}

/** The YAML part of a file. */
function metadataOf(content: string): string {
  return content.startsWith('---\n') ? content.slice(4, content.indexOf('\n---\n', 3) + 1) : content;
}

describe.each(recordKinds)('a file of the kind $type', (kind) => {
  const { type, shape } = kind;

  it('is parsed to the normalized record, which prints the same bytes', () => {
    forEveryRecord(kind, (record) => {
      const { path, content } = printRecord(record);
      const parsed = parseRecord(path, content);
      expect(parsed).toEqual({ kind, record: shape.parse(record) });
      expect(parsed && printRecord(parsed.record)).toEqual({ path, content });
    });
  });

  it('lies at a path that may be written on every system, and names its kind', () => {
    forEveryRecord(kind, (record) => {
      const { path } = printRecord(record);
      expect(writablePathError(path, ['tracker', 'oncall'])).toBeUndefined();
      expect(recordTypeAt(path)).toBe(type);
      for (const name of path.split('/')) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(83);
    });
  });

  it('has metadata that the parser of YAML reads in the same way', () => {
    forEveryRecord(kind, (record) => {
      const { path, content } = printRecord(record);
      const metadata = metadataOf(content);
      const { errors, warnings } = parseDocument(metadata);
      expect([...errors, ...warnings]).toEqual([]);
      const read = parseDocument(metadata).toJS();
      const { body, ...fields }: Record<string, unknown> = parseRecord(path, content)?.record ?? {};
      const below = (kind.sections ?? []).map(({ key }) => [key, fields[key]]);
      const whole = Array.isArray(read) ? { type, items: read } : { ...read, ...Object.fromEntries(below) };
      expect(shape.parse({ ...whole, body })).toEqual({ ...fields, body });
    });
  });

  it('does not depend on the order of lists and keys', () => {
    forEveryRecord(kind, (record) => {
      const again = shape.parse(record) as RecordInput;
      const reversed = Object.entries(again).toReversed();
      const shuffled = Object.fromEntries(
        reversed.map(([key, value]) => [key, Array.isArray(value) ? value.toReversed() : value]),
      );
      expect(printRecord(shuffled as RecordInput)).toEqual(printRecord(again));
    });
  });
});
