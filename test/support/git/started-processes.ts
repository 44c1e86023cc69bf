import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** The child processes that this process started since `recordProcesses`. */
export interface StartedProcesses extends Disposable {
  readonly count: number;
  /** Number of those that still run. */
  readonly running: number;
}

/** Records the child processes that this process starts, until it is disposed. */
export function recordProcesses(): StartedProcesses {
  const children: ChildProcess[] = [];
  const record = (message: unknown): void => {
    children.push((message as { readonly process: ChildProcess }).process);
  };
  subscribe('child_process', record);
  return {
    get count() {
      return children.length;
    },
    get running() {
      return children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length;
    },
    [Symbol.dispose]: () => unsubscribe('child_process', record),
  };
}
