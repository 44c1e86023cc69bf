import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { SettingTable, ValuesOf } from '../../foundation/config/settings/setting.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import type { Task } from '../../foundation/jobs/task.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { ConnectionId, MirrorTargetId, OrganizationId } from '../../foundation/kernel/ids.ts';
import type { Registration } from '../../foundation/kernel/registration.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import type { ConnectorRecords } from '../mirror/format/record-kind.ts';
import type { Configuration, ConnectionError, ProviderAccount } from './connections/connection.ts';

export {
  authorizedStates,
  type ConnectionError,
  furtherWebhookSecrets,
  type ProviderAccount,
} from './connections/connection.ts';

/** Identifies an entity at the provider: enough to fetch it, without its content. */
export interface EntityId {
  /** The connector's name of the kind: `issue`. */
  readonly kind: string;
  readonly id: string;
}

export interface EntityReference extends EntityId {
  /** The parent entity, if the provider names it. After a removal, only the parent can still be fetched. */
  readonly parent?: EntityId | undefined;
}

/** A request to fetch an entity again after an edit. Contains only ids, so that jobs of one entity can be merged. */
export interface EntityChange extends EntityReference {
  readonly connectionId: ConnectionId;
}

/** A webhook as received. Its content must not be trusted before it is verified. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A consequence of an event besides entities to fetch: the account took its authorization back. */
export type WebhookEffect = 'authorization_revoked';

/** The content of a verified webhook. */
export interface WebhookEvent {
  /** The provider's id of the workspace or account it is about. */
  readonly account: string | undefined;
  /** The provider's id of the event. It replaces the key that is read before the event is verified. */
  readonly key?: string | undefined;
  /** The provider's name of what happened, a short word: `Issue.update`. */
  readonly name: string;
  /** Time at which the provider signed it, in milliseconds since the epoch; `undefined` counts as stale. */
  readonly sentAt: number | undefined;
  readonly entities: readonly EntityReference[];
  readonly effect?: WebhookEffect | undefined;
  /** The reason to ignore the event, a short word; `undefined` if it is not ignored. */
  readonly ignored: string | undefined;
}

/** Reads the webhooks of one provider. Pure functions, called before and after verification. */
export interface WebhookReader {
  /** Summary of the endpoint, for the API description. */
  readonly summary: string;
  /** Maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /**
   * Finds accounts in the headers and raw bytes of an unauthenticated caller. Only their secrets are tried; `read`
   * returns the account of the event. Takes linear time.
   */
  peekAccounts(webhook: ReceivedWebhook): readonly string[];
  /**
   * Set if events name a webhook secret instead of an account: returns its name (`webhookSecret.<name>`), and
   * `undefined` if any secret of the kind may have signed the event. `peekAccounts` is not called then.
   */
  peekSecret?(headers: IncomingHttpHeaders): string | undefined;
  /**
   * Returns a function that checks in constant time whether a secret created the signature; `undefined` if the
   * signature is missing or malformed.
   */
  verifierOf(headers: IncomingHttpHeaders): ((body: Buffer, secret: string) => boolean) | undefined;
  /** Returns a key that is equal for all attempts to deliver the same event; at most 200 ASCII characters. */
  deliveryKeyOf(webhook: ReceivedWebhook): string;
  /** Parses a verified webhook; must not be called with others. @throws InvalidInput if it cannot be parsed. */
  read(webhook: ReceivedWebhook): WebhookEvent;
}

/** Maximum difference between the time of a signed event and now, in milliseconds. */
export interface WebhookTolerance {
  readonly pastMs: number;
  readonly futureMs: number;
}

/** The deployment settings of a connector. They contain secrets: never log them. */
export interface ConnectorDeployment {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The redirect URI as written, because the provider compares it character by character. */
  readonly redirectUri: string | undefined;
  /** Verifies the webhooks of connections without a secret of their own. */
  readonly webhookSecret: string | undefined;
  readonly tolerance: WebhookTolerance;
}

/** The parsed settings of all connectors, by name. They contain secrets. */
export type SettingValues = Readonly<Record<string, unknown>>;

export interface ConnectorSettings {
  readonly table: SettingTable;
  read(values: SettingValues): ConnectorDeployment;
}

/** Declares the settings of a connector. */
export function connectorSettings<Table extends SettingTable>(
  table: Table,
  read: (values: ValuesOf<Table>) => ConnectorDeployment,
): ConnectorSettings {
  return { table, read: (values) => read(values as ValuesOf<Table>) };
}

/** The payload of a task of one connection. */
export interface ConnectionPayload {
  readonly connectionId: ConnectionId;
}

/**
 * A request to compare the provider with the mirrored files. It also removes what a changed configuration leaves out,
 * and reads what it adds.
 */
export interface SyncRequest extends ConnectionPayload {
  /** True to read everything again, which also finds what was deleted. */
  readonly full: boolean;
}

/** The tasks of the connections of a kind. */
export interface SyncTasks {
  /**
   * Reads the configuration of a connection from its branch. It has a lane of its own, so that a backfill does not
   * delay it. `connectors/configuration` runs it.
   */
  readonly config: Task<ConnectionPayload>;
  /**
   * Compares the provider with the mirrored files, a page in each step; a job does one or several. A request for a full run has a key of its own,
   * so that the next step of another run does not replace it.
   */
  readonly content: Task<SyncRequest>;
  /** Fetches the present state of entities and mirrors it. Accepted events enqueue it for each of their entities. */
  readonly incremental: Task<EntityChange>;
}

export const providerTokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since the epoch; absent if the provider does not say. */
  expiresAt: z.number().optional(),
  /** The provider's own text: it may grant less than was asked for, without an error. */
  scope: z.string().optional(),
});

/** The tokens of an authorization. They are secrets. */
export type ProviderTokens = Readonly<z.output<typeof providerTokens>>;

/** The dependencies of calls to a provider. */
export interface ProviderContext {
  readonly http: HttpClient;
  readonly values: SettingValues;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The authorized account. */
  readonly account?: ProviderAccount | undefined;
  /** For `revoke`: the names of the further webhook secrets of the connection, such as ids of subscriptions. */
  readonly webhooks?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** The authorization of an account of the provider: OAuth 2 with a code and PKCE S256. */
export interface ConnectorOauth {
  endpoints(values: SettingValues): { readonly authorize: string; readonly token: string };
  /** The parameters of the authorization URL besides those of OAuth 2 and PKCE; `scope` as it writes lists. */
  readonly parameters: Readonly<Record<string, string>>;
  /** True if an account can have one connection of an organization only. */
  readonly exclusiveAccount: boolean;
  /** Time after which a person must authorize the account again, in milliseconds. Default: the provider sets no end. */
  readonly lifetimeMs?: number;
  /**
   * Reads whose tokens these are. @throws InvalidInput that names what the authorization lacks; the errors of the HTTP
   * client
   */
  readAccount(tokens: ProviderTokens, context: ProviderContext): Promise<ProviderAccount>;
  /**
   * Makes the provider forget the tokens and `webhooks`. Returns what it answered, for the audit log; also if it had
   * forgotten them before. @throws if it cannot be asked, or answers otherwise
   */
  revoke(tokens: ProviderTokens, context: ProviderContext): Promise<string>;
}

/** Something that the scope of a connection can name. `kind` is the connector's name of it: `team`. */
export const scopeOptionRecord = z
  .object({
    id: z.string(),
    kind: z.string(),
    name: z.string(),
    key: z.string().optional().describe('A short name that a scope may use in place of the id.'),
    description: z.string().optional(),
  })
  .meta({ id: 'ScopeOption' });

export type ScopeOption = Readonly<z.output<typeof scopeOptionRecord>>;

export interface ScopeOptionsRequest {
  /** Part of the name, case-insensitive. */
  readonly query?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface ScopeOptionPage {
  readonly items: readonly ScopeOption[];
  readonly nextCursor: string | undefined;
}

export interface ScopeFlag {
  readonly placeholder: string;
  readonly description: string;
  scopeOf(values: readonly string[]): Readonly<Record<string, unknown>>;
}

/** The shape of the configuration file, below `version` and `connection`. Unknown keys are errors. */
export interface ConnectorConfiguration {
  readonly scope: z.ZodObject;
  /** The optional blocks besides `scope`, by key. Each has defaults, so that it may be absent. */
  readonly blocks: Readonly<Record<string, z.ZodType>>;
  /** Flags of the command line that give a part of the scope, by name. Each may be repeated. */
  readonly flags: Readonly<Record<string, ScopeFlag>>;
  /** Returns what a file says of the account, under `workspace`; people only read it. Absent: nothing. */
  readonly workspaceOf?: (account: ProviderAccount) => Readonly<Record<string, string>>;
  /** Comments of a new file, by the path of a key: `scope.teams`. */
  readonly comments: Readonly<Record<string, string>>;
}

/** A connection with an authorized account. */
export interface AuthorizedConnection {
  readonly id: ConnectionId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly account: ProviderAccount;
  /**
   * Returns a valid access token. `refused` is one that the provider did not accept: it is replaced.
   * @throws as `freshTokens`
   */
  accessToken(signal: AbortSignal, refused?: string): Promise<string>;
}

/** A connection whose content is mirrored: it is authorized, and its configuration was merged. */
export interface SyncedConnection extends AuthorizedConnection {
  /** The branch that its files are committed to. */
  readonly targetId: MirrorTargetId;
  /** The live configuration, checked by the shapes of the connector. */
  readonly configuration: Configuration;
}

/** The dependencies of the jobs of a connector. */
export interface ConnectorJobsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly http: HttpClient;
  readonly values: SettingValues;
  readonly keyring: Keyring;
  /** The address to which the provider sends its webhooks. */
  readonly webhookUrl: string;
  /** Returns a connection; `undefined` if it was removed or disconnected, or was never authorized. */
  openAuthorized(id: ConnectionId): Promise<AuthorizedConnection | undefined>;
  /** Returns a connection; `undefined` if it was removed or disconnected, or has no live configuration. */
  open(id: ConnectionId): Promise<SyncedConnection | undefined>;
  /** Saves the present name and address of the account of a connection; its id never changes. */
  saveAccount(connection: AuthorizedConnection, account: ProviderAccount): Promise<void>;
  /**
   * Records why the jobs of a connection fail until a person fixes it: the connection is `degraded`. `undefined` after
   * a job that succeeded.
   */
  saveSyncError(id: ConnectionId, error: ConnectionError | undefined): Promise<void>;
}

/**
 * One kind of connector: everything that the rest of the service needs to know about it. The registry lists them, and
 * nothing else outside a connector's folder names it.
 */
export interface Connector {
  /** Stored in rows and part of URLs: a short word in lower case. */
  readonly kind: string;
  /** The product of the provider: `Linear`. */
  readonly product: string;
  /** The shapes, files, graph facts and addresses of what it mirrors. */
  readonly records: ConnectorRecords;
  readonly settings: ConnectorSettings;
  /** True if an app has one webhook secret, which people save with it; false if the provider creates secrets later. */
  readonly appHasWebhookSecret: boolean;
  /** The registration of an app at the provider. The redirect URI and the webhook URL are shown above its fields. */
  readonly registration: Registration;
  readonly oauth: ConnectorOauth;
  /** Lists what a scope can name. */
  scopeOptions(
    request: ScopeOptionsRequest,
    tokens: ProviderTokens,
    context: ProviderContext,
  ): Promise<ScopeOptionPage>;
  readonly configuration: ConnectorConfiguration;
  /** Runs after each authorization of an account. */
  readonly afterAuthorization?: Task<ConnectionPayload>;
  readonly tasks: SyncTasks;
  readonly webhooks: WebhookReader;
  /** Its tasks with their handlers, and its schedules. */
  readonly jobs: (deps: ConnectorJobsDeps) => FeatureJobs;
}

/** The tasks of a connector, for what only enqueues them. */
export type TaskConnector = Pick<Connector, 'kind' | 'tasks'>;

/** Returns both words for a connector: its kind, and its product in parentheses. */
export function connectorName({ kind, product }: Pick<Connector, 'kind' | 'product'>): string {
  return `${kind} (${product})`;
}

/** Returns both words for a kind; the kind alone if no connector has it. */
export function connectorNameOf(
  connectors: readonly Pick<Connector, 'kind' | 'product'>[],
  kind: string,
): string {
  const connector = connectors.find((each) => each.kind === kind);
  return connector === undefined ? kind : connectorName(connector);
}
