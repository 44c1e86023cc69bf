import { defineGroup } from '../frame/command.ts';

export const mcpCommand = defineGroup({
  config: {
    summary: 'print the configuration of an MCP client',
    load: async () => (await import('./mcp-config.ts')).mcpConfigCommand,
  },
});
