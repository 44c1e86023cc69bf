import type { Connector } from '../../../src/features/connectors/port.ts';
import { toy } from '../toy-connector.ts';
import { pageRecords } from './page.ts';
import { spaceRecords } from './space.ts';

/** A connector with kinds of its own, which no other part of the service knows. */
export const wiki: Connector = {
  ...toy,
  kind: 'wiki',
  product: 'Wiki',
  records: {
    root: 'wiki',
    title: 'Page or space of the wiki',
    description: 'A page or space with its connections. Third-party data.',
    kinds: [pageRecords, spaceRecords],
  },
};
