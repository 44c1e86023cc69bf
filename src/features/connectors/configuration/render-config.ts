import { Document, isMap, isScalar, type YAMLMap } from 'yaml';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Connector, ProviderAccount } from '../port.ts';
import { configPath } from './config-file.ts';
import { readConfigDocument } from './parse-config.ts';

export interface ConfigContent {
  readonly connector: Connector;
  readonly connectionId: ConnectionId;
  readonly account: ProviderAccount | undefined;
  readonly scope: Readonly<Record<string, unknown>>;
}

/**
 * Returns the text of a configuration file with this scope. Of a present file, only the connection, its workspace and
 * the scope change; comments, order and the other blocks stay. One that cannot be parsed, or is too large or
 * too deep to be, is replaced.
 */
export function renderConfig(content: ConfigContent, present: Buffer | undefined): string {
  const { connectionId, scope } = content;
  if (present === undefined) return newFile(content);
  const { document } = readConfigDocument(present);
  if (document === undefined || !isMap(document.contents)) return newFile(content);
  document.set('version', 1);
  document.set('connection', connectionId);
  for (const [key, value] of Object.entries(workspace(content))) {
    if (JSON.stringify(document.toJS()[key]) !== JSON.stringify(value))
      document.set(key, document.createNode(value));
  }
  const former = document.get('scope', true);
  if (isMap(former)) changeScope(document, former, scope);
  else document.set('scope', document.createNode(scope));
  return String(document);
}

/** Gives a map the entries of `scope`. Entries that are equal already keep their style and comments. */
function changeScope(document: Document, former: YAMLMap, scope: ConfigContent['scope']): void {
  former.items = former.items.filter(({ key }) => isScalar(key) && Object.hasOwn(scope, String(key.value)));
  const values = former.toJSON() as Readonly<Record<string, unknown>>;
  for (const [key, value] of Object.entries(scope)) {
    if (JSON.stringify(values[key]) === JSON.stringify(value)) continue;
    former.set(key, document.createNode(value, { flow: true }));
  }
}

/** The key `workspace` of a file, if the connector writes one. */
function workspace({ connector: { configuration }, account }: ConfigContent) {
  const known = account && configuration.workspaceOf?.(account);
  return known === undefined ? {} : { workspace: known };
}

function newFile(content: ConfigContent): string {
  const { connector, connectionId, scope } = content;
  const { configuration, product } = connector;
  const blocks = Object.entries(configuration.blocks).map(([key, schema]) => [key, schema.parse(undefined)]);
  const document = new Document({
    version: 1,
    connection: connectionId,
    ...workspace(content),
    scope: configuration.scope.parse(scope),
    ...Object.fromEntries(blocks),
  });
  document.commentBefore = [
    ` ${configPath(connector)}: what the connector ${product} mirrors into ${connector.records.root}/.`,
    ' Only this file on this branch counts. Change it like any other file, preferably by a pull request.',
  ].join('\n');
  for (const [path, comment] of Object.entries(configuration.comments)) {
    const names = path.split('.');
    const parent = names.length === 1 ? document.contents : document.getIn(names.slice(0, -1), true);
    if (!isMap(parent)) continue;
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === names.at(-1));
    if (isScalar(pair?.key)) pair.key.commentBefore = ` ${comment}`;
  }
  return String(document);
}
