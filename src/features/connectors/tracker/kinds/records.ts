import type { ConnectorRecords } from '../../../mirror/format/record-kind.ts';
import { kinds } from './kinds.ts';

/** The records of the tracker, in the order in which MCP clients complete their kinds. */
export const trackerRecords: ConnectorRecords = {
  root: 'tracker',
  title: 'Record of the issue tracker',
  description: 'An issue by its identifier, or another record, with its connections. Third-party data.',
  kinds: Object.values(kinds)
    .toReversed()
    .map(({ record }) => record),
};
