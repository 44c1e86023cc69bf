import { connectors } from '../../../features/connectors/registry.ts';

const binding = {
  githostConnectionId: '01960000-0000-7000-8000-000000000001',
  repository: 'acme/context',
  branch: 'main',
  scope: { teams: ['ENG'] },
};

/** Examples of request bodies, by operation. A test checks each against the schema of its body. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  createRepository: { source: 'https://git.example.com/team/service.git', branch: 'main' },
  updateRepository: { branches: ['release/*'] },
  createConversation: { title: 'Leases' },
  createMessage: { content: 'Where are leases renewed?' },
  askAdvisor: { prompt: 'What happens to a job when its worker is killed?' },
  searchContext: { prompt: 'How are requests routed?', limit: 10, budgetTokens: 4000 },
  createConnection: { kind: connectors[0]?.kind, name: 'Engineering' },
  updateConnectionApp: {
    clientId: 'a1b2c3',
    clientSecret: 'secret-of-the-application',
    webhookSecret: 'signing-secret-of-webhooks',
  },
  updateConnectionBinding: binding,
  createConnectionPullRequest: { binding },
  syncConnection: { full: true },
  createGithost: {
    kind: 'https',
    url: 'https://git.example.com',
    user: 'bot',
    token: 'token-of-a-bot-account',
  },
  updateGithost: { token: 'new-token-of-that-account' },
  updateMember: { role: 'admin' },
  createInvitation: { email: 'lin@example.com', role: 'member' },
  createApiKey: { name: 'Continuous integration', expiresIn: '90d' },
};
