import type { ConnectorRecords } from '../../../mirror/format/record-kind.ts';
import { customer } from './customer.ts';
import { cycle } from './cycle.ts';
import { document } from './document.ts';
import { initiative } from './initiative.ts';
import { issue } from './issue.ts';
import { label } from './label.ts';
import { type PartKind, partKinds } from './part-kinds.ts';
import { project } from './project.ts';
import { team } from './team.ts';
import type { TrackerKind } from './tracker-kind.ts';
import { initiativeUpdate, projectUpdate } from './updates.ts';
import { user } from './user.ts';

/** The kinds that a connection mirrors, in the order in which they are read: what others refer to comes first. */
export const kinds: readonly TrackerKind[] = [
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
];

/** All families, in the order in which they are read. */
export const families: readonly (PartKind | TrackerKind)[] = [...partKinds, ...kinds];

/** Returns a mirrored kind; `undefined` for parts of other files, and for what the connector does not know. */
export function kindOf(name: string): TrackerKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

export function isPart(family: PartKind | TrackerKind): family is PartKind {
  return 'parents' in family;
}

/** The records of the tracker, in the order in which MCP clients complete their kinds. */
export const trackerRecords: ConnectorRecords = {
  root: 'tracker',
  title: 'Record of the issue tracker',
  description: 'An issue by its identifier, or another record, with its connections. Third-party data.',
  kinds: kinds.toReversed().map(({ record }) => record),
};
