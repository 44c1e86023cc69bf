import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../../foundation/config/config.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';

/** Returns a port of `host` that is free at this moment. */
export function freePort(host: string): Promise<number> {
  return bindOnce(host, 0);
}

/** Checks that the configured port can be opened. @throws the error of `explainBind` */
export async function requireFreePort({ http }: Pick<Config, 'http'>): Promise<void> {
  try {
    await bindOnce(http.host, http.port);
  } catch (error) {
    throw explainBind(error, { http });
  }
}

/** Listens for a moment and returns the port. */
async function bindOnce(host: string, wanted: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(wanted, host, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Converts a listen error to one that names the setting to change; returns any other error unchanged. */
export function explainBind(error: unknown, { http: { host, port } }: Pick<Config, 'http'>): unknown {
  const conflict = (reason: string, message: string): Conflict =>
    new Conflict(reason, message, { cause: error });
  const { code = '' } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return conflict(
        'port_in_use',
        `Port ${port} is in use. Stop the process that listens on it, or choose another port with --port.`,
      );
    case 'EACCES':
      return conflict(
        'port_denied',
        `This user may not open port ${port}. Choose a port above 1023 with --port.`,
      );
    case 'EADDRNOTAVAIL':
      return conflict('address_unavailable', `This machine has no address ${host}. Correct --host (HOST).`);
    default:
      return error;
  }
}
