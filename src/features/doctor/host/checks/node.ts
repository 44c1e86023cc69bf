import { type HostCheck, pass } from '../check.ts';

/** Reports the version of Node. The launcher refuses unsupported versions before any command runs. */
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
