import type { CodeIndex, IndexRequest, IndexStatus } from '../../../src/backends/codesearch/port.ts';
import { indexStatus } from './index-request.ts';

/**
 * Opens a code index that keeps only manifests, in memory. `before` runs during a build, `after` runs after the
 * manifest was stored.
 */
export function manifestsOnly(): CodeIndex & {
  readonly manifests: Map<string, IndexStatus>;
  before: (request: IndexRequest, signal: AbortSignal) => Promise<void> | void;
  after: () => void;
} {
  const manifests = new Map<string, IndexStatus>();
  return {
    manifests,
    before: () => undefined,
    after: () => undefined,
    async apply(request, signal) {
      const present = manifests.get(request.repository.id);
      if (present?.commit === request.branches[0].commit) return present;
      await this.before(request, signal);
      signal.throwIfAborted();
      const generation = (present?.generation ?? 0) + 1;
      const status = indexStatus({
        generation,
        commit: request.branches[0].commit,
        bytes: 2,
        skipped: { binary: 1 },
      });
      manifests.set(request.repository.id, status);
      this.after();
      return status;
    },
    define(request, signal) {
      return this.apply(request, signal);
    },
    compact(request, signal) {
      return this.apply(request, signal);
    },
    remove: (_scope, repository) => Promise.resolve(void manifests.delete(repository)),
    status: (_scope, repository) => Promise.resolve(manifests.get(repository)),
    isDamaged: (_scope, repository) => Promise.resolve(!manifests.has(repository)),
  };
}
