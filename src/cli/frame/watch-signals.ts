import { exitCodes } from './exit-code.ts';
import { Interrupted, OutputClosed } from './interrupted.ts';

/**
 * One signal for the whole run. The first Ctrl-C or SIGTERM asks for an orderly end, the second ends the process at
 * once; a closed stdout (EPIPE) stops the work without a word.
 */
export function watchSignals(target: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    target.on(name, () => {
      if (controller.signal.aborted) target.exit(exitCodes.interrupted);
      controller.abort(new Interrupted(name === 'SIGINT' ? 'Ctrl-C' : name));
    });
  }
  target.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort(new OutputClosed());
  });
  // Nobody reads the messages either: there is nothing left to say and nowhere to say it.
  target.stderr.on('error', () => undefined);
  return controller.signal;
}
