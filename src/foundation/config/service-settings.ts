import { defaultDatabaseFile } from '../kernel/data-folder.ts';
import { secret, setting } from './setting.ts';
import {
  anyText,
  domains,
  flag,
  hostName,
  logLevel,
  oneOf,
  plainText,
  portNumber,
  seconds,
  strongSecret,
  strongSecrets,
  trustedProxies,
} from './setting-types.ts';
import { allowedHosts, databaseUrl, graphUri, httpUrl, origin, origins, postgresUrl } from './url-types.ts';

/** Where the service is and how it answers. */
export const serviceSettings = {
  AUTH_BASE_URL: setting(origin, 'public origin that clients see; issuer, callbacks and discovery use it', {
    defaultText: 'http://127.0.0.1:PORT',
  }),
  SERVICE_PUBLIC_APP_URL: setting(origin, 'origin of page links', { defaultText: 'AUTH_BASE_URL' }),
  HOST: setting(hostName, 'address that serve listens on', { fallback: '127.0.0.1' }),
  PORT: setting(portNumber, 'port that serve listens on; 0 picks a free one', { fallback: '3000' }),
  TRUST_PROXY: setting(trustedProxies, 'whose X-Forwarded headers count: true, hops, or addresses', {
    fallback: 'false',
  }),
  ALLOWED_ORIGINS: setting(origins, 'browser origins beside AUTH_BASE_URL that may call /mcp and REST'),
  LOG_LEVEL: setting(logLevel, 'least serious messages that are logged', { fallback: 'info' }),
  DATA_DIR: setting(plainText, 'database, bare repositories, indexes, logs', {
    defaultText: 'the XDG data folder orgctx',
  }),
  ALLOW_LOCAL_REPOSITORIES: setting(flag, 'lets folders of this host be added as repositories', {
    fallback: 'false',
  }),
  OUTBOUND_ALLOW_HOSTS: setting(
    allowedHosts,
    'hosts (with port, if any) that data may name with http, any port and private addresses',
  ),
} as const;

export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(httpUrl, 'where traces are sent'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: setting(
    httpUrl,
    'where logs are sent; unset = structured lines on stdout',
  ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: setting(httpUrl, 'where metrics are sent'),
} as const;

/** `databaseUrl` may hold a password, so it is a secret as a whole. */
export const databaseSettings = {
  DATABASE_URL: setting(databaseUrl, 'sqlite:PATH (relative to DATA_DIR) or postgres://…', {
    secret: true,
    fallback: `sqlite:${defaultDatabaseFile}`,
  }),
  DATABASE_DIRECT_URL: secret(postgresUrl, 'Postgres past a transaction-mode pooler'),
} as const;

/** What answers code searches. */
export const searchSettings = {
  CODESEARCH_URL: setting(httpUrl, 'code search service; unset = embedded'),
  CODESEARCH_KIND: setting(oneOf('orgctx', 'zoekt'), 'what answers at CODESEARCH_URL', {
    fallback: 'orgctx',
  }),
  CODESEARCH_SECRET: secret(plainText, 'shared by the backend and the code search service'),
  CODESEARCH_COMPRESSION: setting(
    oneOf('none', 'zstd'),
    'how the index keeps text: none answers first, zstd takes a third of the disk',
    { fallback: 'none' },
  ),
  ZOEKT_INDEX_DIR: setting(plainText, 'folder that the Zoekt webserver serves'),
  ZOEKT_GIT_INDEX: setting(plainText, 'the indexer of Zoekt', { fallback: 'zoekt-git-index' }),
} as const;

/** Graph and model behind it. */
export const engineSettings = {
  GRAPH_DB_URI: setting(graphUri, 'graph database; unset = embedded'),
  GRAPH_DB_USER: setting(plainText, 'user of the graph database'),
  GRAPH_DB_PASSWORD: secret(plainText, 'password of the graph database'),
  GRAPH_DB_NAME: setting(plainText, 'name of the graph database'),
  MODEL_PROVIDER: setting(
    oneOf('openai-compatible', 'anthropic'),
    'language model; unset = extractive answers',
  ),
  MODEL_BASE_URL: setting(httpUrl, 'where the language model answers'),
  MODEL_API_KEY: secret(plainText, 'key of the language model'),
  MODEL_NAME: setting(plainText, 'name of the language model'),
} as const;

/** What keys are derived from. */
export const keySettings = {
  AUTH_SECRET: secret(strongSecret, 'root of derived keys, at least 32 characters, stable'),
  CONNECTION_SECRETS_ENCRYPTION_KEY: secret(
    strongSecret,
    'encrypts connection secrets instead of AUTH_SECRET',
  ),
  CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS: secret(
    strongSecrets,
    'former keys, for reading during rotation',
  ),
} as const;

/** Sign-in and tokens. */
export const accessSettings = {
  ACCESS_TOKEN_TTL: setting(seconds(60), 'seconds that an access token lives, at most REFRESH_TOKEN_TTL', {
    fallback: '3600',
  }),
  REFRESH_TOKEN_TTL: setting(seconds(60), 'seconds that a refresh token lives unused', {
    fallback: '7776000',
  }),
  REFRESH_GRACE: setting(seconds(0), 'seconds in which a used refresh token still counts', {
    fallback: '60',
  }),
  OIDC_ISSUER: setting(httpUrl, 'upstream sign-in'),
  OIDC_CLIENT_ID: setting(plainText, 'client id at OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: secret(anyText, 'client secret at OIDC_ISSUER'),
  OIDC_ALLOWED_DOMAINS: setting(domains, 'mail domains that may sign in upstream'),
} as const;
