import type { CommandTable } from './frame/command.ts';

/** Every command by its first word, in the order of the help. */
export const commands: CommandTable = {
  quickstart: {
    group: 'Start here',
    summary: 'set up and start everything: data folder, organization, key, repository, server',
    load: async () => (await import('./process/quickstart.ts')).quickstartCommand,
  },
  login: {
    group: 'Start here',
    summary: 'sign in to a service with a browser',
    load: async () => (await import('./login/login.ts')).loginCommand,
  },
  logout: {
    group: 'Start here',
    summary: 'sign out of a service',
    load: async () => (await import('./login/logout.ts')).logoutCommand,
  },
  whoami: {
    group: 'Start here',
    summary: 'show the identity of the current credential',
    load: async () => (await import('./login/whoami.ts')).whoamiCommand,
  },
  mcp: {
    group: 'Start here',
    summary: 'connect an MCP client',
    load: async () => (await import('./mcp/mcp.ts')).mcpCommand,
  },
  repo: {
    group: 'Code and questions',
    summary: 'add, list, sync and remove repositories',
    load: async () => (await import('./repo/repo.ts')).repoCommand,
  },
  githost: {
    group: 'Code and questions',
    summary: 'connect Git hosts, for private repositories',
    load: async () => (await import('./githost/githost.ts')).githostCommand,
  },
  connector: {
    group: 'Code and questions',
    summary: 'connect providers whose records are mirrored into a repository',
    load: async () => (await import('./connector/connector.ts')).connectorCommand,
  },
  search: {
    group: 'Code and questions',
    summary: 'search the code of the organization',
    load: async () => (await import('./ask/search.ts')).searchCommand,
  },
  history: {
    group: 'Code and questions',
    summary: 'list commits of lines, a file, a repository or all of them',
    load: async () => (await import('./history/history.ts')).historyCommand,
  },
  show: {
    group: 'Code and questions',
    summary: 'show a commit with its difference',
    load: async () => (await import('./history/show.ts')).showCommand,
  },
  refs: {
    group: 'Code and questions',
    summary: 'list every use of a name or definition',
    load: async () => (await import('./ask/refs.ts')).refsCommand,
  },
  graph: {
    group: 'Code and questions',
    summary: 'ask how code, commits, issues, incidents and people are connected',
    load: async () => (await import('./graph/graph.ts')).graphCommand,
  },
  ask: {
    group: 'Code and questions',
    summary: 'ask the advisor; answers cite their sources',
    load: async () => (await import('./ask/ask.ts')).askCommand,
  },
  member: {
    group: 'People and access',
    summary: 'list and remove members, change their roles',
    load: async () => (await import('./member/member.ts')).memberCommand,
  },
  invitation: {
    group: 'People and access',
    summary: 'invite people into the organization',
    load: async () => (await import('./invitation/invitation.ts')).invitationCommand,
  },
  key: {
    group: 'People and access',
    summary: 'list, add and remove your API keys',
    load: async () => (await import('./key/key.ts')).keyCommand,
  },
  grant: {
    group: 'People and access',
    summary: 'list and remove the grants of your clients',
    load: async () => (await import('./grant/grant.ts')).grantCommand,
  },
  audit: {
    group: 'People and access',
    summary: 'show who did what in the organization',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  serve: {
    group: 'Processes',
    summary: 'run the backend and a worker',
    load: async () => (await import('./process/serve.ts')).serveCommand,
  },
  worker: {
    group: 'Processes',
    summary: 'run background jobs',
    load: async () => (await import('./process/worker.ts')).workerCommand,
  },
  codesearch: {
    group: 'Processes',
    summary: 'run the code search service separately',
    load: async () => (await import('./process/codesearch.ts')).codesearchCommand,
  },
  admin: {
    group: 'This host',
    summary: 'manage users, memberships and keys on this host',
    load: async () => (await import('./admin/admin.ts')).adminCommand,
  },
  migrate: {
    group: 'This host',
    summary: 'migrate the database to the schema of this version',
    load: async () => (await import('./host/migrate.ts')).migrateCommand,
  },
  config: {
    group: 'This host',
    summary: 'show the settings and their origin',
    load: async () => (await import('./host/config.ts')).configCommand,
  },
  secrets: {
    group: 'This host',
    summary: 'rotate the key of connection secrets',
    load: async () => (await import('./host/secrets.ts')).secretsCommand,
  },
  jobs: {
    group: 'This host',
    summary: 'list, retry and discard background jobs',
    load: async () => (await import('./jobs/jobs.ts')).jobsCommand,
  },
  deliveries: {
    group: 'This host',
    summary: 'list and replay webhook deliveries',
    load: async () => (await import('./deliveries/deliveries.ts')).deliveriesCommand,
  },
  doctor: {
    group: 'This host',
    summary: 'diagnose this host',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  completion: {
    group: 'Other',
    summary: 'print a script that completes commands in bash, zsh or fish',
    load: async () => (await import('./completion/completion.ts')).completionCommand(commands),
  },
  version: {
    group: 'Other',
    summary: 'print the version',
    load: async () => (await import('./version.ts')).versionCommand,
  },
};
