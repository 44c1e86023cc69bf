import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../../test/standins/certificate-authority.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';

const folder = temporaryFolder();
const authority = createCertificateAuthority();

/** NODE_EXTRA_CA_CERTS is read when a process starts. */
function bundleOf(environment: Record<string, string>): string {
  const module = new URL('ca-bundle.ts', import.meta.url).href;
  const script = `const { writeCaBundle } = await import('${module}'); console.log(await writeCaBundle('${folder}'))`;
  const args = ['--input-type=module', '--eval', script];
  return spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' }).stdout.trim();
}

describe('writeCaBundle', () => {
  it('writes the authorities of NODE_EXTRA_CA_CERTS in addition to the public ones', () => {
    const file = bundleOf({ NODE_EXTRA_CA_CERTS: authority.file });
    expect(file).toBe(join(folder, 'git', 'ca.pem'));
    const bundle = readFileSync(file, 'utf8');
    expect(bundle).toContain(authority.cert.trim());
    expect(bundle.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(50);
  });

  it('writes nothing when there is no extra authority', () => {
    expect(bundleOf({})).toBe('undefined');
  });
});
