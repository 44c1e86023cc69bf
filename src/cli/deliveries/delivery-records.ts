import type { HostRecords } from '../host/host-ids.ts';

export const deliveryRecords: HostRecords = {
  table: 'deliveries',
  singular: 'delivery',
  plural: 'deliveries',
  listedBy: 'orgctx deliveries list',
};
