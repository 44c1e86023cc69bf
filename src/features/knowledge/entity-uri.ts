import type { GraphNode } from '../../backends/graph/port.ts';
import {
  printCommitUri,
  printFileUri,
  printRecordUri,
  type Resource,
} from '../../foundation/kernel/wire/resource-uri.ts';
import type { ConnectorRecords } from '../mirror/format/record-kind.ts';
import { placeOfKey } from './links/keys.ts';

/** Returns the MCP resource address of a node, or null for a kind without one. */
export function entityUri({ key, kind, props }: GraphNode, repository: string | null): string | null {
  if (kind === 'file' && repository !== null)
    return printFileUri({ repository, path: placeOfKey(key)?.path ?? '' });
  const { connector, identifier, sha } = props;
  if (kind === 'commit' && repository !== null && typeof sha === 'string')
    return printCommitUri(repository, sha);
  if (typeof connector !== 'string') return null;
  const id = typeof identifier === 'string' ? identifier : key.slice(key.indexOf(':') + 1);
  return printRecordUri(connector, kind, id);
}

/** Returns the key or identifier of a mirrored record that an address names; undefined for an unknown connector. */
export function entityOfRecord(
  records: readonly ConnectorRecords[],
  { connector, type, id }: Extract<Resource, { kind: 'record' }>,
): string | undefined {
  if (!records.some(({ root }) => root === connector)) return undefined;
  return id.includes(':') ? `${type}:${id}` : id;
}
