import { defineGroup } from '../frame/command.ts';

export const deliveriesCommand = defineGroup({
  list: {
    summary: 'list webhook deliveries, newest first',
    load: async () => (await import('./deliveries-list.ts')).deliveriesListCommand,
  },
  replay: {
    summary: 'enqueue the work of accepted deliveries again',
    load: async () => (await import('./deliveries-replay.ts')).deliveriesReplayCommand,
  },
});
