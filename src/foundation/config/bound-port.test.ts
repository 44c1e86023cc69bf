import { describe, expect, it } from 'vitest';
import { withBoundPort } from './bound-port.ts';
import { loadConfig } from './load-config.ts';

const place = { cwd: '/nowhere', homeDir: '/home/somebody' };

describe('withBoundPort', () => {
  it('uses the bound port in the URLs that depend on PORT', () => {
    const { config } = loadConfig({ env: { PORT: '0' }, ...place });
    const bound = withBoundPort(config, 41_234);
    expect(bound).toMatchObject({ baseUrl: 'http://127.0.0.1:41234', appUrl: 'http://127.0.0.1:41234' });
    expect(bound.http.port).toBe(41_234);
  });

  it('keeps a configured AUTH_BASE_URL', () => {
    const { config } = loadConfig({ env: { PORT: '0', AUTH_BASE_URL: 'http://localhost:8080' }, ...place });
    expect(withBoundPort(config, 41_234)).toMatchObject({
      baseUrl: 'http://localhost:8080',
      appUrl: 'http://localhost:8080',
      http: { port: 41_234 },
    });
  });
});
