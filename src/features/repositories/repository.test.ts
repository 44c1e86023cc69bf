import { describe, expect, it } from 'vitest';
import { type RepositoryState, statesBefore } from './repository.ts';

const states: readonly RepositoryState[] = ['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing'];

describe('the states of a repository', () => {
  it('lead from the queue over the clone to the index', () => {
    expect(statesBefore('cloning')).toContain('queued');
    expect(statesBefore('indexing')).toContain('cloning');
    expect(statesBefore('indexed')).toContain('indexing');
  });

  it('never claim an index that was not built', () => {
    expect(statesBefore('indexed')).toEqual(['indexing']);
  });

  it.each(states)('let a repository that is %s be removed', (state) => {
    expect(statesBefore('removing')).toContain(state);
  });

  it.each(states.filter((state) => state !== 'removing'))('lead from removing never back to %s', (state) => {
    expect(statesBefore(state)).not.toContain('removing');
  });
});
