import { NotConfigured } from '../foundation/config/config-error.ts';
import type { Settings } from './open/open-database.ts';

const minLength = 32;

/**
 * Reads CODESEARCH_SECRET, which both sides need, also on loopback: the service gives access to the code of every
 * organization, and other accounts of the host can connect to its loopback addresses. @throws NotConfigured
 */
export function codeSearchSecret({ secrets }: Pick<Settings, 'secrets'>): string {
  const secret = secrets.codesearchSecret ?? '';
  if (secret.length >= minLength) return secret;
  const error = secret === '' ? 'must be set' : `must have at least ${minLength} characters`;
  throw new NotConfigured(
    `CODESEARCH_SECRET ${error}, with the same value for the backend, the workers and the code search service. Create one with: openssl rand -hex 32`,
  );
}
