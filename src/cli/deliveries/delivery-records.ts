import type { HostRecords } from '../host/host-ids.ts';

export const deliveryRecords: HostRecords = {
  table: 'deliveries',
  singular: 'delivery',
  plural: 'deliveries',
  listedBy: 'orgctx deliveries list',
};

/** Connections have no list on the host; that of an organization shows the starts of their ids. */
export const connectionRecords: HostRecords = {
  table: 'connections',
  singular: 'connection',
  plural: 'connections',
  listedBy: 'orgctx connector list',
};
