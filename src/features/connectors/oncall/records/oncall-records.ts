import type { ConnectorRecords } from '../../../mirror/format/record-kind.ts';
import { incidentRecords } from './incident-records.ts';
import { serviceRecords } from './service-records.ts';

export const oncallRecords: ConnectorRecords = {
  root: 'oncall',
  title: 'Incident or service',
  description: 'An incident or service with its connections. Third-party data.',
  kinds: [incidentRecords, serviceRecords],
};
