import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * A preload (`node --import`) that appends the URL of every loaded module, one per line, to the file in RECORD_MODULES.
 * Child processes do the same.
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

/** Returns an environment that makes a program record its modules in `journal`. */
export function recordingModules(journal: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`, RECORD_MODULES: journal };
}
