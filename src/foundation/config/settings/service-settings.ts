import { defaultDatabaseFile } from '../../kernel/data-folder.ts';
import { secret, setting } from './setting.ts';
import {
  anyText,
  days,
  domains,
  flag,
  headerText,
  hostList,
  hostName,
  logLevel,
  oneOf,
  organizations,
  plainText,
  portNumber,
  seconds,
  strongSecret,
  strongSecrets,
  trustedProxies,
} from './setting-types.ts';
import {
  allowedHosts,
  databaseUrl,
  graphUri,
  httpUrl,
  origin,
  origins,
  postgresUrl,
  proxyUrl,
} from './url-types.ts';

/**
 * Settings of the proxy for outgoing requests. The URLs may contain a password, so they are secrets. The environment
 * may also name them in lower case.
 */
export const proxySettings = {
  HTTPS_PROXY: secret(proxyUrl, 'proxy for https requests to other hosts: http://user:password@host:port'),
  HTTP_PROXY: secret(proxyUrl, 'proxy for http requests to other hosts'),
  NO_PROXY: setting(hostList, 'hosts, domains and address ranges that are called without the proxy'),
} as const;

/** Settings of the service's address and its HTTP behaviour. */
export const serviceSettings = {
  AUTH_BASE_URL: setting(origin, 'public origin that clients see; issuer, callbacks and discovery use it', {
    defaultText: 'http://127.0.0.1:PORT',
  }),
  SERVICE_PUBLIC_APP_URL: setting(origin, 'origin of page links', { defaultText: 'AUTH_BASE_URL' }),
  HOST: setting(hostName, 'address that serve listens on', { fallback: '127.0.0.1' }),
  PORT: setting(portNumber, 'port that serve listens on; 0 selects a free one', { fallback: '3000' }),
  TRUST_PROXY: setting(
    trustedProxies,
    'proxies whose X-Forwarded headers are trusted: true, a number of hops, or addresses',
    {
      fallback: 'false',
    },
  ),
  ALLOWED_ORIGINS: setting(origins, 'browser origins besides AUTH_BASE_URL that may call /mcp and REST'),
  LOG_LEVEL: setting(logLevel, 'minimum level of messages that are logged', { fallback: 'info' }),
  DATA_DIR: setting(plainText, 'database, bare repositories, indexes, logs', {
    defaultText: 'the XDG data folder orgctx',
  }),
  ALLOW_LOCAL_REPOSITORIES: setting(flag, 'permits folders of this host as repositories', {
    fallback: 'false',
  }),
  SSH_KEY_ORGANIZATIONS: setting(
    organizations,
    'organizations (slugs or ids) that may use DATA_DIR/ssh/id_ed25519; unset = the only one, if there is only one',
  ),
  OUTBOUND_ALLOW_HOSTS: setting(
    allowedHosts,
    'hosts (with an optional port) that data may name with http, any port and private addresses',
  ),
  CONVERSATION_RETENTION_DAYS: setting(
    days(0),
    'days after the last question at which a conversation is deleted; 0 keeps all',
    { fallback: '90' },
  ),
} as const;

export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(httpUrl, 'OTLP endpoint for traces'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: setting(
    httpUrl,
    'OTLP endpoint for logs; unset = structured lines on stdout',
  ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: setting(httpUrl, 'OTLP endpoint for metrics'),
} as const;

/** Settings of the database. `DATABASE_URL` may contain a password, so it is a secret as a whole. */
export const databaseSettings = {
  DATABASE_URL: setting(databaseUrl, 'sqlite:PATH (relative to DATA_DIR) or postgres://…', {
    secret: true,
    fallback: `sqlite:${defaultDatabaseFile}`,
  }),
  DATABASE_DIRECT_URL: secret(postgresUrl, 'Postgres URL that bypasses a transaction-mode pooler'),
} as const;

/** Settings of the code search. */
export const searchSettings = {
  CODESEARCH_URL: setting(httpUrl, 'code search service; unset = embedded'),
  CODESEARCH_KIND: setting(oneOf('orgctx', 'zoekt'), 'kind of the engine at CODESEARCH_URL', {
    fallback: 'orgctx',
  }),
  CODESEARCH_SECRET: secret(plainText, 'shared by the backend and the code search service'),
  CODESEARCH_COMPRESSION: setting(
    oneOf('none', 'zstd'),
    'compression of text in the index: none is fastest, zstd needs a third of the disk space',
    { fallback: 'none' },
  ),
  ZOEKT_INDEX_DIR: setting(plainText, 'folder that the Zoekt webserver serves'),
  ZOEKT_GIT_INDEX: setting(plainText, 'the Zoekt indexer program', { fallback: 'zoekt-git-index' }),
} as const;

/** Settings of the graph database. */
export const graphSettings = {
  GRAPH_DB_URI: setting(graphUri, 'Neo4j that holds a copy of the knowledge graph; unset = none'),
  GRAPH_DB_USER: setting(plainText, 'user of the graph database', { fallback: 'neo4j' }),
  GRAPH_DB_PASSWORD: secret(plainText, 'password of the graph database; unset = no authentication'),
  GRAPH_DB_NAME: setting(plainText, 'name of the graph database; unset = the default of the server'),
} as const;

/** The API of Anthropic, up to its version. */
export const anthropicUrl = 'https://api.anthropic.com/v1';

/** Settings of the language model. Without MODEL_PROVIDER, none of them may be set. */
export const modelSettings = {
  MODEL_PROVIDER: setting(
    oneOf('openai-compatible', 'anthropic'),
    'kind of the language model that writes answers; unset = none',
  ),
  MODEL_BASE_URL: setting(
    httpUrl,
    'URL of the API of the language model, up to the version: https://models.example.com/v1',
    {
      defaultText: `${anthropicUrl} for anthropic, else required`,
      derivedDefault: ({ model }) => model?.url,
    },
  ),
  MODEL_API_KEY: secret(headerText, 'API key of the language model; required for anthropic'),
  MODEL_NAME: setting(plainText, 'name of the language model; required with MODEL_PROVIDER'),
} as const;

/** Settings from which keys are derived. */
export const keySettings = {
  AUTH_SECRET: secret(strongSecret, 'root of derived keys, at least 32 characters, stable'),
  CONNECTION_SECRETS_ENCRYPTION_KEY: secret(
    strongSecret,
    'encrypts connection secrets instead of AUTH_SECRET',
  ),
  CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS: secret(
    strongSecrets,
    'former keys, for decryption during rotation',
  ),
} as const;

/** Settings of sign-in and tokens. */
export const accessSettings = {
  ACCESS_TOKEN_TTL: setting(
    seconds(60),
    'lifetime of an access token in seconds, at most REFRESH_TOKEN_TTL',
    {
      fallback: '3600',
    },
  ),
  REFRESH_TOKEN_TTL: setting(seconds(60), 'lifetime of an unused refresh token in seconds', {
    fallback: '7776000',
  }),
  REFRESH_GRACE: setting(seconds(0), 'seconds during which a used refresh token is still accepted', {
    fallback: '60',
  }),
  OAUTH_CLIENT_DOCUMENTS: setting(
    oneOf('auto', 'on', 'off'),
    'whether client metadata documents are advertised: auto = while they can be read; off = they are not read either',
    { fallback: 'auto' },
  ),
  OIDC_ISSUER: setting(httpUrl, 'issuer URL of the upstream OpenID provider'),
  OIDC_CLIENT_ID: setting(plainText, 'client id at OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: secret(anyText, 'client secret at OIDC_ISSUER'),
  OIDC_ALLOWED_DOMAINS: setting(domains, 'mail domains that may sign in upstream'),
} as const;
