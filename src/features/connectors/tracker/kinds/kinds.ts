import type { ConnectorRecords } from '../../../mirror/format/record-kind.ts';
import type { EntityId } from '../../port.ts';
import { customer } from './customer.ts';
import { cycle } from './cycle.ts';
import { document } from './document.ts';
import { initiative } from './initiative.ts';
import { issue } from './issue.ts';
import { label } from './label.ts';
import { project } from './project.ts';
import { team } from './team.ts';
import type { Answer, TrackerKind } from './tracker-kind.ts';
import { initiativeUpdate, projectUpdate } from './updates.ts';
import { user } from './user.ts';

/** The kinds that a connection mirrors, in the order in which they are read: what others refer to comes first. */
const all = [
  team,
  user,
  label,
  project,
  initiative,
  cycle,
  projectUpdate,
  initiativeUpdate,
  document,
  customer,
  issue,
] as const;

type Kinds = { readonly [Each in (typeof all)[number] as Each['kind']]: Each };

export const kinds = Object.fromEntries(all.map((each) => [each.kind, each])) as unknown as Kinds;

export type MirroredKind = keyof Kinds;

export const mirroredKinds = all.map(({ kind }) => kind) satisfies readonly MirroredKind[];

export type MirroredEntity = {
  readonly [K in MirroredKind]: { readonly kind: K; readonly entity: Answer<Kinds[K]['shape']> };
}[MirroredKind];

export function isMirrored(kind: string): kind is MirroredKind {
  return mirroredKinds.some((one) => one === kind);
}

/** Returns a kind without its own types, for code that serves all of them. */
export function kindOf({ kind }: Pick<EntityId, 'kind'>): TrackerKind {
  return kinds[kind as MirroredKind];
}

/** The records of the tracker, in the order in which MCP clients complete their kinds. */
export const trackerRecords: ConnectorRecords = {
  root: 'tracker',
  title: 'Record of the issue tracker',
  description: 'An issue by its identifier, or another record, with its connections. Third-party data.',
  kinds: Object.values(kinds)
    .toReversed()
    .map(({ record }) => record),
};
