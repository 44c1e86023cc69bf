import { describe, expect, it } from 'vitest';
import { misspelledVariables } from './misspelled.ts';
import { allSettings } from './settings/settings.ts';

const table = allSettings({});

function meantBy(...names: string[]) {
  const env = Object.fromEntries(names.map((name) => [name, 'hush']));
  return Object.fromEntries(misspelledVariables(env, table).map(({ name, meant }) => [name, meant]));
}

describe('misspelledVariables', () => {
  it.each([
    ['AUTH_BASEURL', 'AUTH_BASE_URL'],
    ['AUTH_SECRT', 'AUTH_SECRET'],
    ['AUTH_SECRET_FIEL', 'AUTH_SECRET_FILE'],
    ['data_dir', 'DATA_DIR'],
    ['ORGCTX_AUTH_BASE_URL', 'AUTH_BASE_URL'],
    ['ORGCTX_DATA_DIR', 'DATA_DIR'],
    ['ORGCTX_APIKEY', 'ORGCTX_API_KEY'],
    ['ORGCTX_SOMETHING_ELSE', undefined],
  ])('reports %s, which means %s', (name, meant) => {
    expect(meantBy(name)).toEqual({ [name]: meant });
  });

  it.each([
    ['a setting', 'AUTH_BASE_URL'],
    ['the file of a secret', 'AUTH_SECRET_FILE'],
    ['a variable of commands', 'ORGCTX_API_KEY_FILE'],
    ['a variable of the credential helper', 'ORGCTX_ASKPASS_ORIGIN'],
    ['a variable that Kubernetes sets for a service', 'ORGCTX_SERVICE_PORT_HTTP'],
    ['another one', 'ORGCTX_PORT_3000_TCP_ADDR'],
    ['a short name', 'PORTS'],
    ['the name of a node', 'NODE_NAME'],
    ['a variable of another program', 'HOSTNAME'],
    ['a variable of OpenTelemetry', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('does not report %s: %s', (_what, name) => {
    expect(meantBy(name)).toEqual({});
  });

  it('does not report an empty variable', () => {
    expect(misspelledVariables({ AUTH_BASEURL: '' }, table)).toEqual([]);
  });
});
