import type { VNode } from 'preact';
import {
  clientConfig,
  type McpAccess,
  mcpClients,
} from '../../../features/client-setup/mcp-client-config.ts';
import type { AppPage, AppView, Visit } from '../app/app-page.ts';
import { el } from '../kit/html/element.ts';
import { copyable, pageHeading, section } from '../kit/html/parts.ts';

/** Names of the clients for people. */
const clientNames: Readonly<Record<(typeof mcpClients)[number], string>> = {
  'claude-code': 'Claude Code',
  'claude-desktop': 'Claude Desktop',
  cline: 'Cline',
  codex: 'Codex',
  copilot: 'Copilot CLI',
  cursor: 'Cursor',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
  vscode: 'VS Code',
  windsurf: 'Windsurf',
  zed: 'Zed',
};

/** The page that shows how to connect each client, by sign-in or by API key. */
export const connectPages: readonly AppPage[] = [
  {
    method: 'GET',
    path: '/connect',
    role: 'member',
    section: 'Home',
    handle: (visit, { config }) => visit.show(connectView(visit, config.baseUrl)),
  },
];

function connectView(visit: Visit, baseUrl: string): AppView {
  const url = `${baseUrl}/mcp`;
  const withSlug = `${url}?orgSlug=${visit.scope.orgSlug}`;
  return {
    title: 'Connect a client',
    content: [
      pageHeading('Connect a client'),
      section(
        'endpoint',
        'The address',
        el(
          'p',
          null,
          'Any client of the Model Context Protocol can use it. It signs in through the browser.',
        ),
        copyable(url, 'Copy the address'),
        el(
          'p',
          null,
          'Without a browser, as in CI, a client uses an API key instead: ',
          el('a', { href: visit.path('/settings') }, 'create one in the settings'),
          ' and put it where <API_KEY> stands.',
        ),
      ),
      el(
        'ul',
        { class: 'names' },
        ...mcpClients.map((client) => el('li', null, el('a', { href: `#${client}` }, clientNames[client]))),
      ),
      ...mcpClients.map((client) =>
        section(
          client,
          clientNames[client],
          ...configurationOf(client, { url, apiKey: undefined }, 'With sign-in'),
          ...configurationOf(client, { url: withSlug, apiKey: '<API_KEY>' }, 'With an API key'),
        ),
      ),
    ],
  };
}

function configurationOf(
  client: (typeof mcpClients)[number],
  access: McpAccess,
  label: string,
): readonly VNode[] {
  const { place, content } = clientConfig(client, access);
  const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
  return [
    el('p', null, `${label}: `, el('span', { class: 'quiet' }, place)),
    copyable(text, `Copy the configuration of ${clientNames[client]}, ${label.toLowerCase()}`),
  ];
}
