import { defineGroup } from './frame/command.ts';

export const doctorCommand = defineGroup({
  mcp: {
    summary: 'diagnose MCP routing and OAuth discovery of an instance',
    load: async () => (await import('./doctor-mcp.ts')).doctorMcpCommand,
  },
});
