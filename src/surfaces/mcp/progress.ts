import type { ServerContext } from '@modelcontextprotocol/server';

/** Clients give up after 60 s without news; a sign of life every 10 s keeps a long call alive. */
const heartbeatMs = 10_000;

export interface ProgressReport {
  /** Names the step that begins. */
  report(message: string): void;
  [Symbol.dispose](): void;
}

/**
 * Progress notifications for a caller who sent a progress token; silence for one who did not. The value rises with
 * each notification (specification of MCP, progress), and the first is sent when the first step is reported.
 */
export function reportProgress(call: ServerContext): ProgressReport {
  const progressToken = call.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { report: () => {}, [Symbol.dispose]: () => {} };

  let progress = 0;
  let step = 'working';
  const send = (): void => {
    progress += 1;
    const params = { progressToken, progress, message: step };
    // A caller who has gone away is noticed through the signal; a lost notification changes nothing.
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
