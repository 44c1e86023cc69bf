import { exitCodes } from './exit-code.ts';
import { Interrupted, OutputClosed } from './interrupted.ts';

/**
 * Returns the abort signal of the run. The first Ctrl-C or SIGTERM requests a graceful end, the second exits at once.
 * A closed stdout (EPIPE) stops the work without an error message. Any other error of stdout, such as a full disk, ends
 * the program with one line.
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
    if (error.code !== 'EPIPE') {
      target.stderr.write(`error: the output cannot be written: ${error.message}.\n`);
      // The command may already have set an exit code: the stream reports the error after the call that wrote.
      target.exit(exitCodes.failed);
    }
    controller.abort(new OutputClosed());
  });
  // An error of stderr cannot be reported anywhere, so it is ignored.
  target.stderr.on('error', () => undefined);
  return controller.signal;
}
