/**
 * How the processes of one deployment stand by each other: `quickstart` starts `serve`, `serve` starts `worker`, each
 * over a channel that carries life-cycle only; work and news travel through the database (architecture section 3).
 */
export type FromWorker = { readonly type: 'ready' } | { readonly type: 'heartbeat' };
export type ToWorker = { readonly type: 'drain' };
export interface FromServe {
  readonly type: 'listening';
  readonly baseUrl: string;
  readonly appUrl: string;
}

/** How often a worker gives a sign of life, in milliseconds. */
export const heartbeatMs = 10_000;

/** The program that runs, to be started again under another command. */
export function ownProgram(): string {
  const [, program] = process.argv;
  if (program === undefined) throw new Error('this process was started without a program file');
  return program;
}

/** Tells the process that started this one, where there is one. */
export function tellStarter(message: FromWorker | FromServe): void {
  if (process.connected) process.send?.(message);
}

/** True when a channel was there at the start and is closed: the starter died while this process was starting. */
function starterIsGone(): boolean {
  return process.send !== undefined && !process.connected;
}

/** Gives the starter a sign of life until the returned function is called. */
export function startHeartbeat(): () => void {
  const timer = setInterval(() => tellStarter({ type: 'heartbeat' }), heartbeatMs);
  return () => clearInterval(timer);
}

/**
 * Waits for the reason to end in order: `signal` (Ctrl-C, SIGTERM), the starter's word, or the starter's death, after
 * which nobody would ever stop this process.
 */
export async function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted || starterIsGone()) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (!process.connected) return;
    process.once('disconnect', resolve);
    process.on('message', (message: ToWorker) => {
      if (message.type === 'drain') resolve();
    });
  });
  // An open channel would keep this process alive after its work is done.
  if (process.connected) process.disconnect();
}
