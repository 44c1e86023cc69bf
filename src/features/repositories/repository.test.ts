import { describe, expect, it } from 'vitest';
import { mayFollow, type RepositoryState, statesBefore } from './repository.ts';

const states: readonly RepositoryState[] = ['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing'];

describe('the states of a repository', () => {
  it('lead from the queue over the clone to the index', () => {
    expect(mayFollow('queued', 'cloning')).toBe(true);
    expect(mayFollow('cloning', 'indexing')).toBe(true);
    expect(mayFollow('indexing', 'indexed')).toBe(true);
  });

  it('never claim an index that was not built', () => {
    expect(statesBefore('indexed')).toEqual(['indexing']);
  });

  it.each(states)('let a repository that is %s be removed', (state) => {
    expect(mayFollow(state, 'removing')).toBe(true);
  });

  it.each(states.filter((state) => state !== 'removing'))('lead from removing never back to %s', (state) => {
    expect(mayFollow('removing', state)).toBe(false);
  });
});
