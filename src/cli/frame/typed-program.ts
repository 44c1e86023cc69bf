import type { Environment } from '../../foundation/config/read-environment.ts';

interface Typed {
  readonly env: Environment;
}

/**
 * Returns the program as a person types it here: npm and npx set `npm_command`, and there the program is reached
 * through npx. Otherwise it is installed.
 */
export function typedProgram({ env }: Typed): string {
  return env['npm_command'] === undefined ? 'orgctx' : 'npx orgctx';
}

/** Replaces the program in the commands that a message quotes by the one that is typed here. */
export function withTypedProgram(message: string, context: Typed): string {
  return message.replaceAll('"orgctx ', `"${typedProgram(context)} `);
}
