import type { CommandTable } from './frame/command.ts';

/** Every command by its first word, in the order of the help. */
export const commands: CommandTable = {
  quickstart: {
    summary: 'from nothing to an answer: data folder, organization, key, repository, server',
    load: async () => (await import('./quickstart.ts')).quickstartCommand,
  },
  serve: {
    summary: 'run the backend and a worker',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  worker: {
    summary: 'run background jobs',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  codesearch: {
    summary: 'run the code search service on its own',
    load: async () => (await import('./codesearch.ts')).codesearchCommand,
  },
  migrate: {
    summary: 'bring the database to the schema of this version',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  admin: {
    summary: 'users, memberships and keys of this host',
    load: async () => (await import('./admin.ts')).adminCommand,
  },
  login: {
    summary: 'sign in at a service, confirmed in a browser',
    load: async () => (await import('./login/login.ts')).loginCommand,
  },
  logout: {
    summary: 'end the login at a service',
    load: async () => (await import('./login/logout.ts')).logoutCommand,
  },
  whoami: {
    summary: 'who the credential in use is',
    load: async () => (await import('./login/whoami.ts')).whoamiCommand,
  },
  repo: {
    summary: 'add, list, watch and remove repositories',
    load: async () => (await import('./repo.ts')).repoCommand,
  },
  member: {
    summary: 'list, promote and remove members',
    load: async () => (await import('./member.ts')).memberCommand,
  },
  invitation: {
    summary: 'invite people into the organization',
    load: async () => (await import('./invitation.ts')).invitationCommand,
  },
  key: {
    summary: 'list, make and end your API keys',
    load: async () => (await import('./key.ts')).keyCommand,
  },
  grant: {
    summary: 'list and end what you granted to clients',
    load: async () => (await import('./grant.ts')).grantCommand,
  },
  audit: {
    summary: 'show who did what in the organization',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  search: {
    summary: 'search the code of the organization',
    load: async () => (await import('./search.ts')).searchCommand,
  },
  ask: {
    summary: 'ask the advisor, answered with citations',
    load: async () => (await import('./ask.ts')).askCommand,
  },
  mcp: {
    summary: 'connect an MCP client',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  jobs: {
    summary: 'list, retry and discard background jobs',
    load: async () => (await import('./jobs.ts')).jobsCommand,
  },
  secrets: {
    summary: 'rotate the key of connection secrets',
    load: async () => (await import('./secrets.ts')).secretsCommand,
  },
  deliveries: {
    summary: 'list and replay webhook deliveries',
    load: async () => (await import('./deliveries.ts')).deliveriesCommand,
  },
  doctor: {
    summary: 'find out what is wrong',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  config: {
    summary: 'settings and where they come from',
    load: async () => (await import('./config.ts')).configCommand,
  },
  version: {
    summary: 'print the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
};
