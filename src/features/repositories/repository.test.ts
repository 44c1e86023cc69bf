import { describe, expect, it } from 'vitest';
import { type RepositoryState, statesBefore } from './repository.ts';

const states: readonly RepositoryState[] = ['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing'];

describe('the states of a repository', () => {
  it('lead from queued through cloning to indexed', () => {
    expect(statesBefore('cloning')).toContain('queued');
    expect(statesBefore('indexing')).toContain('cloning');
    expect(statesBefore('indexed')).toContain('indexing');
  });

  it('never reach indexed without indexing', () => {
    expect(statesBefore('indexed')).toEqual(['indexing']);
  });

  it.each(states)('allow the removal of a repository that is %s', (state) => {
    expect(statesBefore('removing')).toContain(state);
  });

  it.each(states.filter((state) => state !== 'removing'))('never lead from removing back to %s', (state) => {
    expect(statesBefore(state)).not.toContain('removing');
  });
});
