import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority of one test run. */
export interface CertificateAuthority {
  readonly cert: string;
  /** Path of the PEM file of `cert`, for programs that read it themselves. */
  readonly file: string;
  /** Issues a server certificate for DNS names and addresses; a negative `days` makes an expired one. */
  issue(names: readonly string[], days?: number): Certificate;
}

export function createCertificateAuthority(): CertificateAuthority {
  const folder = temporaryFolder();
  const file = join(folder, 'ca.pem');
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  );
  return {
    cert: readFileSync(file, 'utf8'),
    file,
    issue(names, days = 1) {
      const alt = names.map((name) => (/^[\d.]+$|:/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
      writeFileSync(join(folder, 'ext'), `subjectAltName=${alt}\n`);
      openssl('req', ...newKey, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=host');
      const until = ['-days', String(days), '-CAcreateserial', '-extfile', 'ext'];
      openssl(
        'x509',
        '-req',
        '-in',
        'host.csr',
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-out',
        'host.pem',
        ...until,
      );
      return {
        key: readFileSync(join(folder, 'host.key'), 'utf8'),
        cert: readFileSync(join(folder, 'host.pem'), 'utf8'),
      };
    },
  };
}
