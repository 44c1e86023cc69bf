import type { HostRecords } from '../host/host-ids.ts';

export const deliveryRecords: HostRecords = {
  table: 'deliveries',
  singular: 'delivery',
  plural: 'deliveries',
  listedBy: 'orgctx deliveries list',
};

/** Connections have no list on the host; the records of their deliveries name them. */
export const connectionRecords: HostRecords = {
  table: 'connections',
  singular: 'connection',
  plural: 'connections',
  listedBy: 'orgctx deliveries list --json',
};
