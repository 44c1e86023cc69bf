import type { GraphNode, NodeKind } from '../../backends/graph/port.ts';
import { encodePath, encodeSegment } from '../../foundation/kernel/text/encode-path.ts';
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
  const id = key.slice(key.indexOf(':') + 1);
  if (kind === 'file' && repository !== null) {
    const path = placeOfKey(key)?.path ?? '';
    return `ctx://repo/${encodeURIComponent(repository)}/file/${encodePath(path)}`;
  }
  const { identifier, sha } = props;
  if (kind === 'commit' && repository !== null && typeof sha === 'string')
    return `ctx://repo/${encodeSegment(repository)}/commit/${encodeSegment(sha)}`;
  const connector = connectorOf(kind);
  if (connector === undefined) return null;
  return `ctx://${connector}/${kind}/${encodeSegment(kind === 'issue' && typeof identifier === 'string' ? identifier : id)}`;
}

/** Returns the key or identifier that a part of a resource address means: the end of a key, or an identifier. */
export function entityOfResource(kind: string, id: string): string {
  return id.includes(':') ? `${kind}:${id}` : id;
}

function connectorOf(kind: NodeKind): AddressedConnector | undefined {
  if (mirroredKinds.tracker.some((known) => known === kind)) return 'tracker';
  return mirroredKinds.oncall.some((known) => known === kind) ? 'oncall' : undefined;
}
