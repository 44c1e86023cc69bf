import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * A preload (`node --import`) that writes the URL of every module a program loads, a line each, to the file that
 * RECORD_MODULES names. The processes that the program starts do the same.
 */
const file = process.env['RECORD_MODULES'];
if (file !== undefined) {
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`);
      return next(url, context);
    },
  });
}

/** The environment in which a program records its modules to `journal`. */
export function recordingModules(journal: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`, RECORD_MODULES: journal };
}
