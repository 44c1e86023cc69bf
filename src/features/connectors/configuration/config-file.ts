import { z } from 'zod';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ConfigurationPull } from '../connections/connection.ts';
import type { Connector } from '../port.ts';

/** Returns the path of the configuration file in a context repository. */
export function configPath({ records }: Pick<Connector, 'records'>): string {
  return `${records.root}/config.yaml`;
}

/**
 * Returns the branch of the next configuration pull request. The branch of a merged one may still exist and cannot be
 * used again without a forced push, so the next one has a number.
 */
export function configBranch(kind: string, id: ConnectionId, last: ConfigurationPull | undefined): string {
  const first = `orgctx/${kind}-${id.slice(-8)}`;
  if (last === undefined) return first;
  if (last.state !== 'merged') return last.branch;
  const number = Number(/-(\d+)$/.exec(last.branch.slice(first.length))?.[1] ?? '1');
  return `${first}-${number + 1}`;
}

/** The schema of a whole configuration file. */
export function fileSchema({ configuration }: Connector): z.ZodObject {
  return z.strictObject({
    version: z.literal(1, 'must be 1'),
    connection: z.string(),
    workspace: z.strictObject({ id: z.string().optional(), urlKey: z.string().optional() }).optional(),
    scope: configuration.scope,
    ...configuration.blocks,
  });
}
