import { type HostCheck, pass } from '../check.ts';

/** An older one is turned away by the launcher, before any command. */
export const nodeCheck: HostCheck = {
  id: 'node',
  title: 'Node',
  run: async () =>
    pass(`Node ${process.versions.node} on ${process.platform}-${process.arch}.`, {
      version: process.versions.node,
      platform: process.platform,
      architecture: process.arch,
    }),
};
