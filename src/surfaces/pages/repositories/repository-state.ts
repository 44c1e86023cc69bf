import type { VNode } from 'preact';
import type { Repository, RepositoryState } from '../../../features/repositories/repository.ts';
import { progressInWords } from '../../../foundation/kernel/text/progress.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { badge, type Tone } from '../kit/html/parts.ts';

const tones: Readonly<Record<RepositoryState, Tone>> = {
  queued: 'busy',
  cloning: 'busy',
  indexing: 'busy',
  indexed: 'good',
  failed: 'bad',
  removing: 'quiet',
};

/** Returns whether the state changes without anybody's doing, so that the page should be loaded again. */
export function isBusy({ state }: Pick<Repository, 'state'>): boolean {
  return tones[state] === 'busy' || state === 'removing';
}

/** The state with its progress, and what it means for searches. */
export function repositoryState({
  state,
  progress,
  indexedCommit,
}: Pick<Repository, 'state' | 'progress' | 'indexedCommit'>): VNode {
  const details: string[] = [];
  if (progress !== undefined && tones[state] === 'busy') details.push(progressInWords(progress));
  if (state !== 'indexed' && state !== 'removing' && indexedCommit !== undefined)
    details.push('searchable at the last index');
  return el(
    'span',
    null,
    badge(state, tones[state]),
    details.length > 0 && el('span', { class: 'quiet' }, ` ${details.join(', ')}`),
  );
}

/** The error of a repository with its next step. */
export function repositoryError({ error, state }: Pick<Repository, 'error' | 'state'>): VNode | undefined {
  if (error === undefined) return undefined;
  return el(
    'details',
    null,
    el('summary', null, state === 'failed' ? 'Why it failed' : 'The last error'),
    el('p', null, foreignText(error.message, 1_000)),
  );
}
