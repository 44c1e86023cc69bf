import type { GraphNode, NodeKind } from '../../backends/graph/port.ts';
import {
  printCommitUri,
  printFileUri,
  printRecordUri,
  type Resource,
} from '../../foundation/kernel/wire/resource-uri.ts';
import { placeOfKey } from './links/keys.ts';

/** The kinds that mirrored records have, by the connector that their resource address names. */
const mirroredKinds = {
  tracker: ['issue', 'document', 'project', 'initiative', 'cycle', 'label', 'team'],
  oncall: ['incident', 'service'],
} as const satisfies Readonly<Record<string, readonly NodeKind[]>>;

/** A connector, as resource addresses name it. */
type AddressedConnector = keyof typeof mirroredKinds;

/** Returns the kinds of entities that `ctx://tracker/…` or `ctx://oncall/…` names. */
export function resourceKinds(connector: AddressedConnector): readonly string[] {
  return mirroredKinds[connector];
}

/** Returns the MCP resource address of a node, or null for a kind without one. */
export function entityUri({ key, kind, props }: GraphNode, repository: string | null): string | null {
  if (kind === 'file' && repository !== null)
    return printFileUri({ repository, path: placeOfKey(key)?.path ?? '' });
  const { identifier, sha } = props;
  if (kind === 'commit' && repository !== null && typeof sha === 'string')
    return printCommitUri(repository, sha);
  const connector = connectorOf(kind);
  if (connector === undefined) return null;
  const isNamed = kind === 'issue' && typeof identifier === 'string';
  return printRecordUri(connector, kind, isNamed ? identifier : key.slice(key.indexOf(':') + 1));
}

/** Returns the key or identifier of a mirrored record that an address names; undefined for an unknown connector. */
export function entityOfRecord({
  connector,
  type,
  id,
}: Extract<Resource, { kind: 'record' }>): string | undefined {
  if (!Object.hasOwn(mirroredKinds, connector)) return undefined;
  return id.includes(':') ? `${type}:${id}` : id;
}

function connectorOf(kind: NodeKind): AddressedConnector | undefined {
  if (mirroredKinds.tracker.some((known) => known === kind)) return 'tracker';
  return mirroredKinds.oncall.some((known) => known === kind) ? 'oncall' : undefined;
}
