import { describe, expect, it } from 'vitest';
import { providerSettings } from '../../../app/open/provider-settings.ts';
import { allSettings } from './settings.ts';

const settings = allSettings(providerSettings);
const settingNames = Object.keys(settings);

/** Settings of the specification, "Deployment settings", followed by those of contract section 2. */
const specified = `
  AUTH_BASE_URL AUTH_SECRET CONNECTION_SECRETS_ENCRYPTION_KEY SERVICE_PUBLIC_APP_URL CODESEARCH_URL GRAPH_DB_URI
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_EXPORTER_OTLP_METRICS_ENDPOINT
  TRACKER_CLIENT_ID TRACKER_CLIENT_SECRET TRACKER_REDIRECT_URI TRACKER_WEBHOOK_SECRET
  ONCALL_CLIENT_ID ONCALL_CLIENT_SECRET ONCALL_REDIRECT_URI
  DATA_DIR DATABASE_URL DATABASE_DIRECT_URL HOST PORT LOG_LEVEL TRUST_PROXY ALLOWED_ORIGINS
  CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS CODESEARCH_KIND CODESEARCH_SECRET CODESEARCH_COMPRESSION
  ZOEKT_INDEX_DIR ZOEKT_GIT_INDEX
  GRAPH_DB_USER GRAPH_DB_PASSWORD GRAPH_DB_NAME MODEL_PROVIDER MODEL_BASE_URL MODEL_API_KEY MODEL_NAME
  OIDC_ISSUER OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_ALLOWED_DOMAINS
  TRACKER_API_URL TRACKER_AUTHORIZE_URL TRACKER_TOKEN_URL TRACKER_REVOKE_URL TRACKER_UPLOADS_URL
  ONCALL_AUTHORIZE_URL ONCALL_TOKEN_URL ONCALL_API_URL_US ONCALL_API_URL_EU ONCALL_WEB_SUFFIX_US ONCALL_WEB_SUFFIX_EU
  GITHOST_KIND GITHOST_URL GITHOST_API_URL GITHOST_APP_ID GITHOST_APP_SLUG GITHOST_APP_PRIVATE_KEY GITHOST_WEBHOOK_SECRET
  OUTBOUND_ALLOW_HOSTS ALLOW_LOCAL_REPOSITORIES SSH_KEY_ORGANIZATIONS ACCESS_TOKEN_TTL REFRESH_TOKEN_TTL REFRESH_GRACE
  HTTPS_PROXY HTTP_PROXY NO_PROXY OAUTH_CLIENT_DOCUMENTS
  WEBHOOK_TOLERANCE_TRACKER WEBHOOK_TOLERANCE_ONCALL SYNC_INTERVAL CONVERSATION_RETENTION_DAYS`;

describe('settings', () => {
  it('contain exactly those of the specification and the contract', () => {
    expect(settingNames.toSorted()).toEqual(specified.trim().split(/\s+/).toSorted());
  });

  it.each(settingNames.filter((name) => settings[name]?.fallback !== undefined))(
    'accept the default of %s',
    (name) => {
      expect(settings[name]?.type.safeParse(settings[name]?.fallback).success).toBe(true);
    },
  );

  it.each(
    settingNames.filter((name) =>
      /_(SECRET|PASSWORD|API_KEY|PRIVATE_KEY)$|ENCRYPTION_KEY|DATABASE/.test(name),
    ),
  )('treat %s as a secret', (name) => {
    expect(settings[name]?.secret).toBe(true);
  });
});
