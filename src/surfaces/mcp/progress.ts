import type { ServerContext } from '@modelcontextprotocol/server';

/** Interval of progress notifications, in milliseconds. Clients time out after 60 s without one. */
const heartbeatMs = 10_000;

export interface ProgressReport {
  /** Reports the step that starts. */
  report(message: string): void;
  [Symbol.dispose](): void;
}

/**
 * Sends progress notifications if the caller sent a progress token. The value increases with each notification
 * (specification of MCP, progress), and the first is sent when the first step is reported.
 */
export function reportProgress(call: ServerContext): ProgressReport {
  const progressToken = call.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => {}, [Symbol.dispose]: () => {} };

  let progress = 0;
  let step = 'working';
  const send = (): void => {
    progress += 1;
    const params = { progressToken, progress, message: step };
    // A disconnect is detected through the signal; a lost notification has no effect.
    call.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const heartbeat = setInterval(send, heartbeatMs);
  return {
    report(message) {
      step = message;
      send();
    },
    [Symbol.dispose]: () => clearInterval(heartbeat),
  };
}
