import { version } from '../foundation/config/version.ts';
import { defineCommand } from './frame/command.ts';

export const versionCommand = defineCommand({
  run: async () => ({
    json: { version, node: process.versions.node, platform: `${process.platform}-${process.arch}` },
    text: `orgctx ${version}`,
  }),
});
