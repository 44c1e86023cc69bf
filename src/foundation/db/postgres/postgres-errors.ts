import { NotConfigured } from '../../config/config-error.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { type OrgctxError, Unavailable } from '../../kernel/errors.ts';

/**
 * Converts an error of connecting to Postgres. The message names the server and the reason, without the user's name
 * or password.
 */
export function explainConnectError(cause: unknown, url: string): OrgctxError {
  const server = serverOf(url);
  const code = errorCode(cause);
  if (code === '28P01' || code === '28000') {
    return new NotConfigured(`Postgres at ${server} refused the user or the password of DATABASE_URL.`, {
      cause,
    });
  }
  if (code === '3D000') {
    return new NotConfigured(
      `Postgres at ${server} has no database with the name in DATABASE_URL. Create it.`,
      {
        cause,
      },
    );
  }
  return new Unavailable(
    'database_unreachable',
    `Cannot reach Postgres at ${server}. Check DATABASE_URL and that the server is running.`,
    { cause },
  );
}

function serverOf(url: string): string {
  if (!URL.canParse(url)) return 'the address in DATABASE_URL';
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') || hostname.replaceAll(/%2f/gi, '/') || 'localhost';
  return `${host}:${searchParams.get('port') || port || '5432'}`;
}
