import type { Role } from '../../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import type { Database, Queries } from '../../../src/foundation/db/database.ts';
import type { Tables } from '../../../src/foundation/db/tables.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import {
  type ConnectionId,
  newId,
  type OrganizationId,
  type UserId,
} from '../../../src/foundation/kernel/ids.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import { saveSecret } from '../../../src/foundation/secrets/secret-store.ts';

/** An organization with one row of every kind; every free text starts with `<slug>-secret-`. */
export interface SeededOrganization {
  readonly slug: string;
  readonly id: OrganizationId;
  readonly owner: UserId;
  /** API key of its owner. */
  readonly apiKey: string;
  /** Resources that a request can name in this organization. */
  readonly names: Readonly<Record<NamedResource, string>>;
}

export type NamedResource =
  | 'repository'
  | 'repositoryName'
  | 'connection'
  | 'githost'
  | 'invitation'
  | 'member'
  | 'apiKey'
  | 'grant'
  | 'conversation'
  | 'entity';

const later = Date.UTC(2100, 0, 1);

/** Returns the text that identifies a leak. */
export function secretOf(slug: string, place: string): string {
  return `${slug}-secret-${place}`;
}

export async function seedEverything(
  database: Database,
  keyring: Keyring,
  slug: string,
): Promise<SeededOrganization> {
  const host = { database, clock: systemClock };
  const orgName = secretOf(slug, 'organizations-name');
  const email = `${secretOf(slug, 'users-email')}@example.com`;
  const { user, organization } = await admitUser(host, { email, orgSlug: slug, orgName, role: 'owner' });
  const owner = user.id;
  const member = (await admitUser(host, { email: `b-${email}`, orgSlug: slug, role: 'member' })).user.id;
  const seed: Seed = { slug, organizationId: organization.id, owner, text: (place) => secretOf(slug, place) };
  return database.transaction(async (tx) => {
    for (const id of [owner, member]) {
      await tx
        .updateTable('users')
        .set({ name: seed.text('users-name') })
        .where('id', '=', id)
        .execute();
    }
    const repository = await seedRepository(tx, seed);
    const connection = await seedConnection(tx, keyring, seed);
    const githost = await seedGithost(tx, keyring, seed);
    await seedMirror(tx, seed, connection);
    await seedPerson(tx, seed);
    const invitation = await seedInvitation(tx, seed);
    await seedAudit(tx, seed);
    const key = { userId: owner, name: seed.text('api_keys-name') };
    const { id: apiKeyId } = await createApiKey(tx, key, systemClock);
    const { apiKey } = await createApiKey(tx, key, systemClock);
    const grant = await seedGrant(tx, seed);
    const conversation = await seedConversation(tx, seed);
    const names = {
      repository,
      repositoryName: seed.text('repositories-name'),
      connection,
      githost,
      invitation,
      member,
      apiKey: apiKeyId,
      grant,
      conversation,
      entity: `label:${connection}:${seed.text('graph-key')}`,
    };
    return { slug, id: organization.id, owner, apiKey, names };
  });
}

interface Seed {
  readonly slug: string;
  readonly organizationId: OrganizationId;
  readonly owner: UserId;
  readonly text: (place: string) => string;
}

async function insert<Table extends keyof Tables>(
  tx: Queries,
  table: Table,
  row: Record<keyof Tables[Table] & string, unknown>,
): Promise<void> {
  await tx
    .insertInto(table)
    .values(row as never)
    .execute();
}

async function seedRepository(tx: Queries, { organizationId, text }: Seed): Promise<string> {
  const id = newId();
  const row = {
    id,
    organization_id: organizationId,
    name: text('repositories-name'),
    source: `https://example.com/${text('repositories-source')}.git`,
    source_kind: 'https',
    branch: text('repositories-branch'),
    further_branches: JSON.stringify([text('repositories-further')]),
    indexed_branches: JSON.stringify([{ name: text('repositories-indexed'), commit: 'c'.repeat(40) }]),
    left_out_branches: JSON.stringify({ [text('repositories-left-out')]: 1 }),
    githost_connection_id: null,
    host_repository_id: text('repositories-host_repository_id'),
    state: 'indexed',
    state_changed_at: 0,
    progress: JSON.stringify({ phase: text('repositories-progress'), done: 1, total: 2 }),
    indexed_commit: 'c'.repeat(40),
    indexed_at: 0,
    index_generation: 1,
    graph_commit: null,
    files: 1,
    bytes: 1,
    skipped: JSON.stringify({ [text('repositories-skipped')]: 1 }),
    error: JSON.stringify({ code: 'git_failed', message: text('repositories-error') }),
    created_at: 0,
  };
  await tx
    .insertInto('repositories')
    .values(row as never)
    .execute();
  return id;
}

async function seedGithost(tx: Queries, keyring: Keyring, { organizationId, text }: Seed): Promise<string> {
  const id = newId<ConnectionId>();
  const url = `https://example.com/${text('githost_connections-url')}`;
  await insert(tx, 'githost_connections', {
    id,
    organization_id: organizationId,
    kind: 'https',
    name: text('githost_connections-name'),
    state: 'connected',
    fields: JSON.stringify({ url, user: text('githost_connections-user') }),
    url,
    api_url: url,
    installation_id: text('githost_connections-installation'),
    account: JSON.stringify({ id: '1', name: text('githost_connections-account'), url }),
    error: JSON.stringify({ code: 'x', message: text('githost_connections-error') }),
    setup_state: text('githost_connections-setup_state'),
    setup_state_issued_at: 0,
    setup_installation_id: text('githost_connections-setup_installation'),
    created_at: 0,
  });
  await saveSecret(tx, keyring, { connectionId: id, field: 'token' }, text('githost-token'), 0);
  await insert(tx, 'ssh_keys', {
    id: newId(),
    organization_id: organizationId,
    public_key: text('ssh_keys-public_key'),
    created_at: 0,
  });
  return id;
}

async function seedConnection(
  tx: Queries,
  keyring: Keyring,
  { organizationId, text }: Seed,
): Promise<string> {
  const id = newId();
  await insert(tx, 'connections', {
    id,
    organization_id: organizationId,
    kind: 'tracker',
    name: text('connections-name'),
    state: 'connected',
    client_id: text('connections-client_id'),
    account_id: text('connections-account_id'),
    account: JSON.stringify({ name: text('connections-account') }),
    error: JSON.stringify({ code: 'x', message: text('connections-error') }),
    sync_error: JSON.stringify({ code: 'x', message: text('connections-sync_error') }),
    last_accepted_at: 0,
    last_rejected_at: 0,
    last_sync_at: 0,
    auth_state: text('connections-auth_state'),
    auth_state_issued_at: 0,
    githost_connection_id: text('connections-githost_connection_id'),
    host_repository_id: text('connections-host_repository_id'),
    repository: text('connections-repository'),
    branch: text('connections-branch'),
    scope: JSON.stringify({ teams: [text('connections-scope')] }),
    target_id: text('connections-target_id'),
    pull_request: JSON.stringify({
      branch: text('connections-pull_request'),
      state: 'open',
      commented: false,
    }),
    live_config: JSON.stringify({ scope: { teams: [text('connections-live_config')] } }),
    live_commit: text('connections-live_commit'),
    next_check_at: 0,
    reauthorize_by: 0,
    refresh_holder: null,
    refresh_until: null,
    created_at: 0,
  });
  await saveSecret(tx, keyring, { connectionId: id as never, field: 'webhookSecret' }, text('webhook'), 0);
  await insert(tx, 'deliveries', {
    id: newId(),
    source: 'tracker',
    connection_id: id,
    delivery_key: text('deliveries-delivery_key'),
    outcome: 'accepted',
    reason: text('deliveries-reason'),
    event: text('deliveries-event'),
    entities: JSON.stringify([{ kind: 'issue', id: text('deliveries-entities') }]),
    body_hash: '0'.repeat(64),
    body_bytes: 1,
    received_at: 0,
    replayed_at: null,
  });
  return id;
}

async function seedMirror(tx: Queries, { organizationId, text }: Seed, connection: string): Promise<void> {
  const id = newId();
  await insert(tx, 'mirror_targets', {
    id,
    organization_id: organizationId,
    githost_connection_id: null,
    host_repository_id: null,
    source: `https://example.com/${text('mirror_targets-source')}.git`,
    repository: `example.com/${text('mirror_targets-repository')}`,
    branch: text('mirror_targets-branch'),
    head: null,
    committed_at: null,
    pushing: null,
    compared: null,
    error: JSON.stringify({
      code: 'x',
      message: text('mirror_targets-error'),
      permanent: true,
      at: 0,
      failures: 1,
    }),
    created_at: 0,
  });
  const change = {
    target_id: id,
    path: `tracker/${text('mirror_changes-path')}.md`,
    revision: newId(),
    content: Buffer.from(text('mirror_changes-content')),
    bytes: 1,
    connection_id: connection,
    origin: text('mirror_changes-origin'),
    backfill: 0,
    created_at: 0,
  };
  await tx.insertInto('mirror_changes').values(change).execute();
  await tx.updateTable('connections').set({ target_id: id }).where('id', '=', connection).execute();
}

/** Inserts data of the owner: a browser session and an account at an identity provider. */
async function seedPerson(tx: Queries, { owner, text }: Seed): Promise<void> {
  await insert(tx, 'sessions', {
    hash: text('sessions-hash'),
    user_id: owner,
    address: text('sessions-address'),
    user_agent: text('sessions-user_agent'),
    last_seen_at: 0,
    expires_at: later,
    created_at: 0,
  });
  await insert(tx, 'user_identities', {
    issuer: `https://${text('user_identities-issuer')}.example`,
    subject: text('user_identities-subject'),
    user_id: owner,
    created_at: 0,
  });
}

async function seedInvitation(tx: Queries, { organizationId, owner, text }: Seed): Promise<string> {
  const id = newId();
  await insert(tx, 'invitations', {
    id,
    organization_id: organizationId,
    email: `${text('invitations-email')}@example.com`,
    role: 'admin',
    hash: text('invitations-hash'),
    invited_by: owner,
    expires_at: later,
    accepted_at: null,
    revoked_at: null,
    created_at: 0,
  });
  return id;
}

async function seedAudit(tx: Queries, { organizationId, owner, text }: Seed): Promise<void> {
  await insert(tx, 'audit_events', {
    id: newId(),
    organization_id: organizationId,
    actor: 'user',
    user_id: owner,
    email: `${text('audit_events-email')}@example.com`,
    credential: `api-key ${text('audit_events-credential')}`,
    action: text('audit_events-action'),
    target: text('audit_events-target'),
    details: JSON.stringify({ email: text('audit_events-details') }),
    address: text('audit_events-address'),
    created_at: 0,
  });
}

/** Inserts a grant without tokens as the authorization server does. */
async function seedGrant(tx: Queries, { organizationId, owner, text }: Seed): Promise<string> {
  const id = newId();
  await insert(tx, 'oauth_grants', {
    id,
    user_id: owner,
    organization_id: organizationId,
    client_id: text('oauth_grants-client_id'),
    client_name: text('oauth_grants-client_name'),
    scopes: 'mcp api',
    last_used_at: null,
    expires_at: later,
    revoked_at: null,
    created_at: 0,
  });
  return id;
}

async function seedConversation(tx: Queries, { organizationId, owner, text }: Seed): Promise<string> {
  const id = newId();
  await insert(tx, 'conversations', {
    id,
    organization_id: organizationId,
    user_id: owner,
    title: text('conversations-title'),
    messages: 2,
    asking_until: null,
    updated_at: 0,
    created_at: 0,
  });
  const message = { conversation_id: id, created_at: 0 };
  const question = {
    role: 'user',
    content: text('messages-content'),
    citations: null,
    model: null,
    notice: null,
  };
  await insert(tx, 'messages', { ...message, ...question, id: newId(1) });
  await insert(tx, 'messages', {
    ...message,
    id: newId(2),
    role: 'assistant',
    content: text('messages-content'),
    citations: JSON.stringify([
      {
        n: 1,
        kind: 'code',
        address: 'a/a.ts',
        uri: 'ctx://repo/a/file/a.ts',
        url: 'https://example.com/a',
        title: 'a',
        excerpt: text('messages-citations'),
        reason: '',
      },
    ]),
    model: text('messages-model'),
    notice: JSON.stringify({ code: 'model_refused', message: text('messages-notice') }),
  });
  return id;
}

/** Creates a person with roles in the given organizations and an API key for all of them. */
export async function seedVisitor(
  database: Database,
  name: string,
  memberships: Readonly<Record<string, Role>>,
): Promise<{ readonly userId: UserId; readonly apiKey: string }> {
  const host = { database, clock: systemClock };
  let userId: UserId | undefined;
  for (const [orgSlug, role] of Object.entries(memberships)) {
    userId = (await admitUser(host, { email: `${name}@example.com`, orgSlug, role })).user.id;
  }
  if (userId === undefined) throw new Error(`${name} has no membership`);
  const { apiKey } = await createApiKey(database.queries, { userId, name }, systemClock);
  return { userId, apiKey };
}
