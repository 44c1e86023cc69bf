import { Document, isMap, isScalar, parseDocument } from 'yaml';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Connector, ProviderAccount } from '../port.ts';
import { configPath } from './config-file.ts';

export interface ConfigContent {
  readonly connector: Connector;
  readonly connectionId: ConnectionId;
  readonly account: ProviderAccount | undefined;
  readonly scope: Readonly<Record<string, unknown>>;
}

/**
 * Returns the text of a configuration file with this scope. Of a present file, only the connection and the scope
 * change; comments, order and the other blocks stay. One that cannot be parsed is replaced.
 */
export function renderConfig(content: ConfigContent, present: Buffer | undefined): string {
  const { connectionId, scope } = content;
  if (present === undefined) return newFile(content);
  const document = parseDocument(present.toString('utf8'));
  if (document.errors.length > 0 || !isMap(document.contents)) return newFile(content);
  document.set('version', 1);
  document.set('connection', connectionId);
  const former = document.get('scope', true);
  if (!isMap(former)) {
    document.set('scope', document.createNode(scope));
    return String(document);
  }
  const gone = former.items.filter(({ key }) => !isScalar(key) || !Object.hasOwn(scope, String(key.value)));
  for (const { key } of gone) former.delete(key);
  for (const [key, value] of Object.entries(scope)) {
    const same = JSON.stringify(former.toJSON()[key]) === JSON.stringify(value);
    if (!same) former.set(key, document.createNode(value, { flow: true }));
  }
  return String(document);
}

function newFile({ connector, connectionId, account, scope }: ConfigContent): string {
  const { configuration, title } = connector;
  const blocks = Object.entries(configuration.blocks).map(([key, schema]) => [key, schema.parse(undefined)]);
  const document = new Document({
    version: 1,
    connection: connectionId,
    ...(account === undefined ? {} : { workspace: { id: account.id, name: account.name } }),
    scope: configuration.scope.parse(scope),
    ...Object.fromEntries(blocks),
  });
  document.commentBefore = [
    ` ${configPath(connector)}: what the connector ${title} mirrors into ${connector.mirrorRoot}/.`,
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
