import { defineGroup } from '../frame/command.ts';

export const mcpCommand = defineGroup({
  config: {
    summary: 'print the configuration of an MCP client',
    load: async () => (await import('./mcp-config.ts')).mcpConfigCommand,
  },
  guide: {
    summary: 'print a paragraph for AGENTS.md or CLAUDE.md',
    load: async () => (await import('./mcp-guide.ts')).mcpGuideCommand,
  },
});
