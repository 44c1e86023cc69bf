import type { AppPage } from '../../../src/surfaces/pages/app/app-page.ts';
import type { NamedResource } from './two-organizations.ts';

/** How the matrix calls a page so that an authorized person succeeds. */
export interface PageRow {
  /** The resource that the parameter of the path names. */
  readonly names?: NamedResource;
  /** True if it belongs to the owner of the organization: others get 404. */
  readonly ofOwner?: true;
  readonly query?: string;
  /** The fields of the form, without its token. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The status that authorized persons get. Default: 200 for GET, 303 for POST. */
  readonly status?: number;
}

/** Every page of an organization, by `nameOfPage`. The matrix test fails if one is missing. */
export const pageRows: Readonly<Record<string, PageRow>> = {
  'GET ': {},
  'GET /repositories': {},
  'GET /repositories/add': {},
  'POST /repositories/add': { fields: { source: 'https://example.com/new.git' } },
  'GET /repositories/:id': { names: 'repository' },
  'GET /repositories/:id/edit': { names: 'repository' },
  'POST /repositories/:id/edit': {
    names: 'repository',
    fields: { source: 'https://example.com/moved.git', branch: 'main' },
  },
  'POST /repositories/:id/sync': { names: 'repository' },
  'GET /repositories/:id/remove': { names: 'repository' },
  'POST /repositories/:id/remove': { names: 'repository' },
  'GET /repositories/:id/file': { names: 'repository', query: 'path=a.ts' },
  'GET /repositories/:id/tree': { names: 'repository' },
  'GET /search': { query: 'q=secret' },
  'GET /entities': { query: 'q=secret' },
  'GET /entities/:key': { names: 'entity' },
  'GET /connect': {},
  'GET /ask': {},
  'POST /ask': { fields: { prompt: 'Where is the secret of the repository?' } },
  'GET /ask/:conversationId': { names: 'conversation', ofOwner: true },
  'POST /ask/:conversationId': {
    names: 'conversation',
    fields: { prompt: 'Where is the secret of the repository?' },
  },
  'GET /ask/:conversationId/delete': { names: 'conversation', ofOwner: true },
  'POST /ask/:conversationId/delete': { names: 'conversation' },
  'GET /settings': { status: 303 },
  'GET /settings/keys': {},
  'POST /settings/keys': { fields: { name: 'new', expiresIn: '30d' }, status: 200 },
  'POST /settings/keys/:id/revoke': { names: 'apiKey' },
  'GET /settings/clients': {},
  'POST /settings/clients/:id/revoke': { names: 'grant' },
  'GET /settings/members': {},
  'POST /settings/members/:id/role': { names: 'member', fields: { role: 'admin' } },
  'POST /settings/members/:id/remove': { names: 'member' },
  'GET /settings/invitations': {},
  'POST /settings/invitations': { fields: { email: 'new@example.com', role: 'member' }, status: 200 },
  'POST /settings/invitations/:id/withdraw': { names: 'invitation' },
  'GET /settings/git-hosts': {},
  'GET /settings/git-hosts/add': { query: 'kind=https' },
  'POST /settings/git-hosts/add': {
    fields: { kind: 'https', name: 'new', url: 'https://git.example.com', user: 'bot', token: 'token' },
  },
  'GET /settings/git-hosts/:id/edit': { names: 'githost' },
  'POST /settings/git-hosts/:id/edit': { names: 'githost', fields: { name: 'renamed' } },
  'POST /settings/git-hosts/:id/install': { names: 'githost', status: 400 },
  'POST /settings/git-hosts/:id/remove': { names: 'githost' },
  'POST /settings/git-hosts/ssh-key': {},
  'POST /settings/git-hosts/ssh-key/delete': {},
  'GET /settings/audit': {},
  'GET /connections': {},
  'GET /connections/new': {},
  'POST /connections/new': { fields: { kind: 'oncall' } },
  'GET /connections/:id': { names: 'connection' },
  'GET /connections/:id/setup': { names: 'connection', status: 303 },
  'GET /connections/:id/register': { names: 'connection' },
  'POST /connections/:id/register': { names: 'connection', fields: { clientId: 'a', clientSecret: 's' } },
  'GET /connections/:id/authorize': { names: 'connection' },
  'POST /connections/:id/authorize': { names: 'connection' },
  'GET /connections/:id/repository': { names: 'connection' },
  'POST /connections/:id/repository': { names: 'connection', status: 400 },
  'GET /connections/:id/scope': { names: 'connection' },
  'POST /connections/:id/scope': { names: 'connection', fields: { revision: '0', to: 'more' } },
  'GET /connections/:id/pull-request': { names: 'connection' },
  'POST /connections/:id/pull-request': { names: 'connection', status: 400 },
  'POST /connections/:id/sync': { names: 'connection' },
  'POST /connections/:id/replay': { names: 'connection', fields: { period: 'hour' } },
  'GET /connections/:id/remove': { names: 'connection' },
  'POST /connections/:id/remove': { names: 'connection' },
  'GET /system': {},
};

export function nameOfPage({ method, path }: Pick<AppPage, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** Returns the path of a page in an organization; `id` replaces the parameter, if there is one. */
export function pagePath({ path }: Pick<AppPage, 'path'>, slug: string, id: string): string {
  return `/app/${slug}${path.replace(/:\w+/, encodeURIComponent(id))}`;
}
