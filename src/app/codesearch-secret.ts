import { NotConfigured } from '../foundation/config/config-error.ts';
import type { Settings } from './open-database.ts';

const shortest = 32;

/**
 * CODESEARCH_SECRET, which both sides must have, on loopback too: whoever reaches the service reads the code of every
 * organization, and other accounts of a host reach its loopback. @throws NotConfigured
 */
export function codeSearchSecret({ secrets }: Pick<Settings, 'secrets'>): string {
  const secret = secrets.codesearchSecret ?? '';
  if (secret.length >= shortest) return secret;
  const fault = secret === '' ? 'must be set' : `must have at least ${shortest} characters`;
  throw new NotConfigured(
    `CODESEARCH_SECRET ${fault}, the same for backend, workers and the code search service; make one with: openssl rand -hex 32`,
  );
}
