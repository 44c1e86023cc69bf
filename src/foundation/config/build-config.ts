import { isAbsolute, join, resolve } from 'node:path';
import { isLoopback } from '../kernel/loopback.ts';
import type { CodeSearchConfig, Config, DatabaseConfig, Secrets, UpstreamConfig } from './config.ts';
import type { ConfigFault } from './config-error.ts';
import type { Environment } from './read-environment.ts';
import type { SettingValues } from './settings.ts';

export interface Place {
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
}

interface Built {
  readonly config: Config;
  readonly secrets: Secrets;
  /** What one setting asks of another. The config is only good without faults. */
  readonly faults: readonly ConfigFault[];
}

export function buildConfig(values: SettingValues, place: Place): Built {
  const port = values.PORT ?? 0;
  const baseUrl = values.AUTH_BASE_URL ?? loopbackUrl(port);
  const dataDir = values.DATA_DIR ? resolve(place.cwd, values.DATA_DIR) : defaultDataDir(place);
  const config: Config = {
    baseUrl,
    appUrl: values.SERVICE_PUBLIC_APP_URL ?? baseUrl,
    http: {
      host: values.HOST ?? '',
      port,
      trustProxy: values.TRUST_PROXY ?? false,
      allowedOrigins: values.ALLOWED_ORIGINS ?? [],
    },
    dataDir,
    database: databaseOf(values, dataDir),
    log: { level: values.LOG_LEVEL ?? 'info' },
    outbound: { allowHosts: values.OUTBOUND_ALLOW_HOSTS ?? [] },
    repositories: { allowLocal: values.ALLOW_LOCAL_REPOSITORIES ?? false },
    codesearch: codesearchOf(values),
    indexCompression: values.CODESEARCH_COMPRESSION ?? 'none',
    access: accessOf(values),
    upstream: upstreamOf(values),
    connectors: {
      tracker: { clientId: values.TRACKER_CLIENT_ID, redirectUri: values.TRACKER_REDIRECT_URI },
      oncall: { clientId: values.ONCALL_CLIENT_ID, redirectUri: values.ONCALL_REDIRECT_URI },
    },
    webhookToleranceMs: { tracker: (values.WEBHOOK_TOLERANCE_TRACKER ?? 60) * 1_000 },
    otlp: {
      traces: values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      logs: values.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT,
      metrics: values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    },
  };
  return {
    config,
    secrets: secretsOf(values),
    faults: [...faultsOfUrls(config, values), ...faultsOfLifetimes(config), ...faultsOfParts(values)],
  };
}

export function loopbackUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** XDG Base Directory Specification: a relative XDG_DATA_HOME does not count. */
function defaultDataDir({ env, homeDir }: Place): string {
  const given = env['XDG_DATA_HOME'] ?? '';
  return join(isAbsolute(given) ? given : join(homeDir, '.local', 'share'), 'orgctx');
}

function databaseOf({ DATABASE_URL }: SettingValues, dataDir: string): DatabaseConfig {
  if (DATABASE_URL?.dialect === 'postgres') {
    return { dialect: 'postgres', host: DATABASE_URL.host, database: DATABASE_URL.database };
  }
  return { dialect: 'sqlite', file: resolve(dataDir, DATABASE_URL?.path ?? '') };
}

function accessOf(values: SettingValues): Config['access'] {
  return {
    accessTokenTtlMs: (values.ACCESS_TOKEN_TTL ?? 3_600) * 1_000,
    refreshTokenTtlMs: (values.REFRESH_TOKEN_TTL ?? 7_776_000) * 1_000,
    refreshGraceMs: (values.REFRESH_GRACE ?? 60) * 1_000,
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
    gitIndex: values.ZOEKT_GIT_INDEX ?? '',
  };
}

function upstreamOf({ OIDC_ISSUER, OIDC_CLIENT_ID, ...values }: SettingValues): UpstreamConfig | undefined {
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined) return undefined;
  const allowedDomains = values.OIDC_ALLOWED_DOMAINS ?? [];
  return { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, allowedDomains };
}

function secretsOf(values: SettingValues): Secrets {
  const database = values.DATABASE_URL;
  return {
    authSecret: values.AUTH_SECRET,
    postgresUrl: database?.dialect === 'postgres' ? database.url : undefined,
    postgresDirectUrl: values.DATABASE_DIRECT_URL?.url,
    codesearchSecret: values.CODESEARCH_SECRET,
    connectionKey: values.CONNECTION_SECRETS_ENCRYPTION_KEY,
    formerConnectionKeys: values.CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS ?? [],
    trackerClientSecret: values.TRACKER_CLIENT_SECRET,
    trackerWebhookSecret: values.TRACKER_WEBHOOK_SECRET,
    oncallClientSecret: values.ONCALL_CLIENT_SECRET,
    upstreamClientSecret: values.OIDC_CLIENT_SECRET,
  };
}

function faultsOfUrls({ baseUrl, appUrl, database }: Config, values: SettingValues): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const https = baseUrl.startsWith('https:');
  const loopback = isLoopback(new URL(baseUrl).hostname);
  if (!loopback && !https) {
    faults.push({ name: 'AUTH_BASE_URL', message: 'must use https unless its host is loopback' });
  }
  if (values.AUTH_SECRET === undefined && (!loopback || database.dialect === 'postgres')) {
    const because = loopback ? 'the database is Postgres' : 'AUTH_BASE_URL is not loopback';
    faults.push({
      name: 'AUTH_SECRET',
      message: `must be set because ${because}; make one with: openssl rand -hex 32`,
    });
  }
  if (https && appUrl !== baseUrl) {
    faults.push({ name: 'SERVICE_PUBLIC_APP_URL', message: 'must be the same origin as AUTH_BASE_URL' });
  }
  return faults;
}

/** A grant lives as long as the refresh token issued last: it would end under an access token that still counts. */
function faultsOfLifetimes({ access }: Config): ConfigFault[] {
  if (access.accessTokenTtlMs <= access.refreshTokenTtlMs) return [];
  return [{ name: 'ACCESS_TOKEN_TTL', message: 'must not be longer than REFRESH_TOKEN_TTL' }];
}

function faultsOfParts(values: SettingValues): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (values.DATABASE_DIRECT_URL !== undefined && values.DATABASE_URL?.dialect !== 'postgres') {
    faults.push({ name: 'DATABASE_DIRECT_URL', message: 'needs DATABASE_URL to name Postgres' });
  }
  if ((values.OIDC_ISSUER === undefined) !== (values.OIDC_CLIENT_ID === undefined)) {
    const [name, other] =
      values.OIDC_ISSUER === undefined
        ? ['OIDC_ISSUER', 'OIDC_CLIENT_ID']
        : ['OIDC_CLIENT_ID', 'OIDC_ISSUER'];
    faults.push({ name, message: `must be set because ${other} is` });
  }
  if (values.CODESEARCH_KIND !== 'zoekt') return faults;
  if (values.CODESEARCH_URL === undefined) {
    faults.push({ name: 'CODESEARCH_URL', message: 'must be set because CODESEARCH_KIND is zoekt' });
  }
  if (values.ZOEKT_INDEX_DIR === undefined) {
    faults.push({ name: 'ZOEKT_INDEX_DIR', message: 'must be set because CODESEARCH_KIND is zoekt' });
  }
  return faults;
}
