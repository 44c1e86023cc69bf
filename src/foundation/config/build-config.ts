import { isAbsolute, join, resolve } from 'node:path';
import { isLoopback } from '../kernel/loopback.ts';
import type { OutboundProxies } from '../kernel/outbound-proxy.ts';
import type {
  CodeSearchConfig,
  Config,
  DatabaseConfig,
  GraphConfig,
  ModelConfig,
  Secrets,
  UpstreamConfig,
} from './config.ts';
import type { SettingError } from './config-error.ts';
import type { Environment } from './read-environment.ts';
import { anthropicUrl } from './settings/service-settings.ts';
import type { SettingValues } from './settings/settings.ts';

export interface ProcessContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
}

interface Built {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Conflicts between settings. The config is only valid if there are none. */
  readonly errors: readonly SettingError[];
}

/** Builds the configuration. `ofProviders`: the names of the settings that providers declare. */
export function buildConfig(
  values: SettingValues,
  ofProviders: readonly string[],
  context: ProcessContext,
): Built {
  const port = values.PORT;
  const baseUrl = values.AUTH_BASE_URL ?? loopbackUrl(port);
  const dataDir = dataDirOf(values, context);
  const config: Config = {
    baseUrl,
    appUrl: values.SERVICE_PUBLIC_APP_URL ?? baseUrl,
    http: {
      host: values.HOST,
      port,
      trustProxy: values.TRUST_PROXY,
      allowedOrigins: values.ALLOWED_ORIGINS ?? [],
    },
    dataDir,
    database: databaseOf(values, dataDir),
    log: { level: values.LOG_LEVEL },
    outbound: { allowHosts: values.OUTBOUND_ALLOW_HOSTS ?? [] },
    githost: {
      kind: values.GITHOST_KIND ?? '',
      url: values.GITHOST_URL,
      apiUrl: values.GITHOST_API_URL,
      appId: values.GITHOST_APP_ID,
      appSlug: values.GITHOST_APP_SLUG,
    },
    syncIntervalMs: values.SYNC_INTERVAL * 1_000,
    conversationRetentionMs: values.CONVERSATION_RETENTION_DAYS * 86_400_000,
    repositories: {
      allowLocal: values.ALLOW_LOCAL_REPOSITORIES,
      sshKeyOrganizations: values.SSH_KEY_ORGANIZATIONS ?? [],
    },
    codesearch: codesearchOf(values),
    graph: graphOf(values),
    model: modelOf(values),
    indexCompression: values.CODESEARCH_COMPRESSION,
    access: accessOf(values),
    clientDocuments: values.OAUTH_CLIENT_DOCUMENTS,
    upstream: upstreamOf(values),
    otlp: {
      traces: values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      logs: values.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT,
      metrics: values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    },
  };
  return {
    config,
    secrets: secretsOf(values, ofProviders),
    errors: [
      ...errorsOfUrls(config, values),
      ...errorsOfLifetimes(config),
      ...errorsOfParts(values),
      ...errorsOfModel(values),
    ],
  };
}

export function loopbackUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

export function dataDirOf({ DATA_DIR }: Pick<SettingValues, 'DATA_DIR'>, context: ProcessContext): string {
  return DATA_DIR ? resolve(context.cwd, DATA_DIR) : defaultDataDir(context);
}

/** Returns the default data folder. A relative XDG_DATA_HOME is ignored (XDG Base Directory Specification). */
function defaultDataDir({ env, homeDir }: ProcessContext): string {
  const given = env['XDG_DATA_HOME'] ?? '';
  return join(isAbsolute(given) ? given : join(homeDir, '.local', 'share'), 'orgctx');
}

function databaseOf({ DATABASE_URL }: SettingValues, dataDir: string): DatabaseConfig {
  if (DATABASE_URL.dialect === 'postgres') {
    return { dialect: 'postgres', host: DATABASE_URL.host, database: DATABASE_URL.database };
  }
  return { dialect: 'sqlite', file: resolve(dataDir, DATABASE_URL.path) };
}

function accessOf(values: SettingValues): Config['access'] {
  return {
    accessTokenTtlMs: values.ACCESS_TOKEN_TTL * 1_000,
    refreshTokenTtlMs: values.REFRESH_TOKEN_TTL * 1_000,
    refreshGraceMs: values.REFRESH_GRACE * 1_000,
  };
}

function codesearchOf(values: SettingValues): CodeSearchConfig {
  const { CODESEARCH_URL: url, CODESEARCH_KIND: kind } = values;
  if (url === undefined) return { kind: 'embedded' };
  if (kind === 'orgctx') return { kind: 'remote', url };
  return {
    kind: 'zoekt',
    url,
    indexDir: values.ZOEKT_INDEX_DIR ?? '',
    gitIndex: values.ZOEKT_GIT_INDEX,
  };
}

function graphOf({ GRAPH_DB_URI, GRAPH_DB_USER, GRAPH_DB_NAME }: SettingValues): GraphConfig | undefined {
  if (GRAPH_DB_URI === undefined) return undefined;
  return { uri: GRAPH_DB_URI, user: GRAPH_DB_USER, database: GRAPH_DB_NAME };
}

function modelOf({ MODEL_PROVIDER, MODEL_BASE_URL, MODEL_NAME }: SettingValues): ModelConfig | undefined {
  const url = MODEL_BASE_URL ?? (MODEL_PROVIDER === 'anthropic' ? anthropicUrl : undefined);
  if (MODEL_PROVIDER === undefined || MODEL_NAME === undefined || url === undefined) return undefined;
  return { provider: MODEL_PROVIDER, url, name: MODEL_NAME };
}

function upstreamOf({ OIDC_ISSUER, OIDC_CLIENT_ID, ...values }: SettingValues): UpstreamConfig | undefined {
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined) return undefined;
  const allowedDomains = values.OIDC_ALLOWED_DOMAINS ?? [];
  return { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, allowedDomains };
}

function secretsOf(values: SettingValues, ofProviders: readonly string[]): Secrets {
  const database = values.DATABASE_URL;
  return {
    authSecret: values.AUTH_SECRET,
    postgresUrl: database.dialect === 'postgres' ? database.url : undefined,
    postgresDirectUrl: values.DATABASE_DIRECT_URL?.url,
    codesearchSecret: values.CODESEARCH_SECRET,
    graphPassword: values.GRAPH_DB_PASSWORD,
    modelKey: values.MODEL_API_KEY,
    proxies: proxiesOf(values),
    connectionKey: values.CONNECTION_SECRETS_ENCRYPTION_KEY,
    formerConnectionKeys: values.CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS ?? [],
    providerSettings: Object.fromEntries(
      ofProviders.map((name) => [name, (values as Readonly<Record<string, unknown>>)[name]]),
    ),
    githostPrivateKey: values.GITHOST_APP_PRIVATE_KEY,
    githostWebhookSecret: values.GITHOST_WEBHOOK_SECRET,
    upstreamClientSecret: values.OIDC_CLIENT_SECRET,
  };
}

type ProxyValues = Pick<SettingValues, 'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY'>;

export function proxiesOf({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY = [] }: ProxyValues): OutboundProxies {
  return { https: HTTPS_PROXY, http: HTTP_PROXY, noProxy: NO_PROXY };
}

function errorsOfUrls({ baseUrl, appUrl, database }: Config, values: SettingValues): SettingError[] {
  const errors: SettingError[] = [];
  const https = baseUrl.startsWith('https:');
  const loopback = isLoopback(new URL(baseUrl).hostname);
  if (!loopback && !https) {
    errors.push({ name: 'AUTH_BASE_URL', message: 'must use https unless its host is loopback' });
  }
  if (values.AUTH_SECRET === undefined && (!loopback || database.dialect === 'postgres')) {
    const because = loopback ? 'the database is Postgres' : 'AUTH_BASE_URL is not loopback';
    errors.push({
      name: 'AUTH_SECRET',
      message: `must be set because ${because}; create one with: openssl rand -hex 32`,
    });
  }
  if (https && appUrl !== baseUrl) {
    errors.push({ name: 'SERVICE_PUBLIC_APP_URL', message: 'must be the same origin as AUTH_BASE_URL' });
  }
  return errors;
}

/**
 * Checks token lifetimes. A grant expires with its last refresh token, which must not happen while an access token is
 * still valid.
 */
function errorsOfLifetimes({ access }: Config): SettingError[] {
  if (access.accessTokenTtlMs <= access.refreshTokenTtlMs) return [];
  return [{ name: 'ACCESS_TOKEN_TTL', message: 'must not be longer than REFRESH_TOKEN_TTL' }];
}

/** Checks that the settings of the language model are complete, or that there are none. */
function errorsOfModel({ MODEL_PROVIDER: provider, ...values }: SettingValues): SettingError[] {
  if (provider === undefined) {
    const names = ['MODEL_BASE_URL', 'MODEL_API_KEY', 'MODEL_NAME'] as const;
    const set = names.find((name) => values[name] !== undefined);
    return set === undefined ? [] : [{ name: 'MODEL_PROVIDER', message: `must be set because ${set} is` }];
  }
  // A service of the same host often needs no key, but it has no default address.
  const other = provider === 'anthropic' ? 'MODEL_API_KEY' : 'MODEL_BASE_URL';
  return (['MODEL_NAME', other] as const)
    .filter((name) => values[name] === undefined)
    .map((name) => ({ name, message: `must be set because MODEL_PROVIDER is ${provider}` }));
}

function errorsOfParts(values: SettingValues): SettingError[] {
  const errors: SettingError[] = [];
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL.dialect !== 'postgres') {
    errors.push({ name: 'DATABASE_DIRECT_URL', message: 'needs DATABASE_URL to name Postgres' });
  }
  if ((values.OIDC_ISSUER === undefined) !== (values.OIDC_CLIENT_ID === undefined)) {
    const [name, other] =
      values.OIDC_ISSUER === undefined
        ? ['OIDC_ISSUER', 'OIDC_CLIENT_ID']
        : ['OIDC_CLIENT_ID', 'OIDC_ISSUER'];
    errors.push({ name, message: `must be set because ${other} is` });
  }
  if (values.CODESEARCH_KIND !== 'zoekt') return errors;
  if (values.CODESEARCH_URL === undefined) {
    errors.push({ name: 'CODESEARCH_URL', message: 'must be set because CODESEARCH_KIND is zoekt' });
  }
  if (values.ZOEKT_INDEX_DIR === undefined) {
    errors.push({ name: 'ZOEKT_INDEX_DIR', message: 'must be set because CODESEARCH_KIND is zoekt' });
  }
  return errors;
}
