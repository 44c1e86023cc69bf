/** What serve and its worker tell each other: life-cycle only (architecture section 3). */
export type FromWorker = { readonly type: 'ready' } | { readonly type: 'heartbeat' };
export type ToWorker = { readonly type: 'drain' };

/** How often a worker gives a sign of life. */
export const heartbeatMs = 10_000;
